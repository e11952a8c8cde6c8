import { OptionDefaults } from "typedoc";

/** The help of the page: the API reference and docs/. */
export default {
  name: "Spikelet",
  entryPoints: ["ts/index.ts", "ts/element.ts", "ts/plots.ts", "ts/timeline.ts", "ts/assemblies.ts", "ts/assemblies-element.ts", "ts/training.ts", "ts/training-element.ts", "ts/interchange.ts", "ts/experiments.ts", "ts/experiments-element.ts", "ts/gpu-report.ts", "ts/gpu-report-element.ts"],
  out: "../../target/help",
  readme: "README.md",
  // The references of formats and language beside the API.
  projectDocuments: ["../../docs/*.md"],
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  hideGenerator: true,
  githubPages: false,
  // Lengths of tuples, which ts/network.ts takes from the schema.
  blockTags: [...OptionDefaults.blockTags, "@minItems", "@maxItems"],
  // Those of the documents, which tests/prose.rs compares.
  highlightLanguages: ["html", "js", "json", "jsx", "python", "rust", "sh", "toml", "ts", "tsx", "yaml"],
  logLevel: "Warn",
  treatWarningsAsErrors: true,
};
