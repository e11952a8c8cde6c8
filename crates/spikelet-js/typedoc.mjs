import { OptionDefaults } from "typedoc";

/** The reference of the API, for the page's help. */
export default {
  name: "Spikelet API",
  entryPoints: ["ts/index.ts"],
  out: "../../target/help/api",
  readme: "README.md",
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  hideGenerator: true,
  githubPages: false,
  // Lengths of tuples, which ts/network.ts has from the schema.
  blockTags: [...OptionDefaults.blockTags, "@minItems", "@maxItems"],
  logLevel: "Warn",
  treatWarningsAsErrors: true,
};
