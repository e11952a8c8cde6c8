// The package needs no settings in webpack 5. Threads need a host that sends two headers, see docs/browser.md.

export default {
  mode: "production",
  entry: "./src/main.js",
  output: { path: new URL("dist", import.meta.url).pathname },
};
