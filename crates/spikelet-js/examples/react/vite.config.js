export default {
  optimizeDeps: { exclude: ["spikelet"] },
  worker: { format: "es" },
  build: { target: "es2022" },
};
