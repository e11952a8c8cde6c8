/**
 * Files of other tools, in web pages and in Node: {@link openFile} makes a network of NeuroML, LEMS, SONATA, NIR and configurations of
 * 4D-Neural-Cognition, {@link exportNetwork} writes scripts and graphs of a network. Files are never sent anywhere.
 *
 * @module interchange
 */
export { EXPORT_FORMATS, type ExportedFiles, type ExportFormat, type ExportOptions, exportNetwork } from "./interchange/export.js";
export { droppedFiles } from "./interchange/dropped.js";
export { type OpenOptions, type OpenSource, openFile } from "./interchange/open.js";
export type { FileNotice, OpenedFile } from "./interchange/raw.js";
export { type EngineOptions } from "./options.js";
export type { Files, NetworkSource } from "./source.js";
export { SpikeletError } from "./errors.js";
