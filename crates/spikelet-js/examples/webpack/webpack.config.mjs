// Nothing of it is for the package, which webpack 5 takes as it is. Threads need a host that sends the two headers, see docs/browser.md.

export default {
  mode: "production",
  entry: "./src/main.js",
  output: { path: new URL("dist", import.meta.url).pathname },
};
