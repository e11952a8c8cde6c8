import { defineConfig } from "vite";

// Headers that threads need: https://developer.mozilla.org/docs/Web/API/Window/crossOriginIsolated
const headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  // The package finds its Worker and engines relative to its own modules, so these must not be moved.
  optimizeDeps: { exclude: ["spikelet"] },
  // The Worker imports one of two engines: it must be a module, not a classic script.
  worker: { format: "es" },
  // The modules of the engine use top-level await.
  build: { target: "es2022" },
  server: { headers },
  preview: { headers },
});
