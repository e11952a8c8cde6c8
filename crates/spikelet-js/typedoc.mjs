import { OptionDefaults } from "typedoc";

/** The page's help: the reference of the API, and docs/. */
export default {
  name: "Spikelet",
  entryPoints: ["ts/index.ts", "ts/element.ts", "ts/plots.ts"],
  out: "../../target/help",
  readme: "README.md",
  // The formats and the language, side by side with the API.
  projectDocuments: ["../../docs/*.md"],
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  hideGenerator: true,
  githubPages: false,
  // Lengths of tuples, which ts/network.ts has from the schema.
  blockTags: [...OptionDefaults.blockTags, "@minItems", "@maxItems"],
  highlightLanguages: [...OptionDefaults.highlightLanguages, "toml"],
  logLevel: "Warn",
  treatWarningsAsErrors: true,
};
