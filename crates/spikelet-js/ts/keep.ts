// What the page keeps: imported by the page alone, not part of the API.
export { Keeper } from "./keep/continue/keeper.js";
export { RunStore } from "./keep/continue/store.js";
export { pictures, thumbnail } from "./keep/pictures.js";
export { ProjectStore, claim, release } from "./keep/projects.js";
