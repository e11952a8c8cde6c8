// The colour map of heat maps: viridis of Matplotlib, which is perceptually uniform and ordered for people with colour vision deficiency.

/** Eleven of its colours at equal distances. */
const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"].map((colour) =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)),
);

/** The colour of a part of the range, from 0 to 1. */
export function colourOf(part: number): string {
  const at = Math.min(Math.max(part, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const mixed = VIRIDIS[low]!.map((value, channel) => Math.round(value + (at - low) * (VIRIDIS[low + 1]![channel]! - value)));
  return `rgb(${mixed.join(",")})`;
}
