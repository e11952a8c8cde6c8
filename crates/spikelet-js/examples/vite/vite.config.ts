import { defineConfig } from "vite";

// What threads need of a host: https://developer.mozilla.org/docs/Web/API/Window/crossOriginIsolated
const headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  // The package finds its Worker and engines beside its own modules: they must stay where they are.
  optimizeDeps: { exclude: ["spikelet"] },
  // Its Worker loads one of two engines: it is a module, not a classic script.
  worker: { format: "es" },
  // Top-level await, as in the engine's own modules.
  build: { target: "es2022" },
  server: { headers },
  preview: { headers },
});
