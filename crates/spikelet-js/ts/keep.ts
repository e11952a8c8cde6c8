// What the page keeps: imported by the page alone, not part of the API.
export { pictures, thumbnail } from "./keep/pictures.js";
export { ProjectStore, claim, release } from "./keep/projects.js";
