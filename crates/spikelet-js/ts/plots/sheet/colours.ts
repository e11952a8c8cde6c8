// Colour maps that are uniform for the eye, and distinct with any colour vision.

/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Number of colours of a map. */
export const COLOURS = 256;

/** 16 evenly spaced colours of viridis (van der Walt and Smith, matplotlib 1.5). */
const VIRIDIS = "440154 481a6c 472f7d 414487 39568c 31688e 2a788e 23888e 1f988b 22a884 35b779 54c568 7ad151 a5db36 d2e21b fde725";

/** The map of variables: lightness increases with the value. */
export function viridis(): Rgb[] {
  const stops = VIRIDIS.split(" ").map((word): Rgb => [0, 2, 4].map((at) => Number.parseInt(word.slice(at, at + 2), 16)) as unknown as Rgb);
  return gradient(stops);
}

/** A map through some colours at equal distances, interpolated in Oklab, where equal distances look equal. */
export function gradient(stops: readonly Rgb[]): Rgb[] {
  const labs = stops.map(toLab);
  return Array.from({ length: COLOURS }, (_, at) => {
    const place = (at / (COLOURS - 1)) * (labs.length - 1);
    const left = Math.min(Math.floor(place), labs.length - 2);
    const part = place - left;
    const [one, other] = [labs[left]!, labs[left + 1]!];
    return toRgb([0, 1, 2].map((axis) => one[axis]! + (other[axis]! - one[axis]!) * part) as unknown as Rgb);
  });
}

/** The map of signed values, whose middle is 0. */
export function diverging(negative: Rgb, zero: Rgb, positive: Rgb): Rgb[] {
  return gradient([negative, zero, positive]);
}

/** A mixture in Oklab; 0 is the first colour. */
export function mixed(one: Rgb, other: Rgb, part: number): Rgb {
  const [a, b] = [toLab(one), toLab(other)];
  return toRgb([0, 1, 2].map((axis) => a[axis]! + (b[axis]! - a[axis]!) * part) as unknown as Rgb);
}

/** The components of a pixel without opacity. */
export function rgbOf(word: number): Rgb {
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255];
}

/** An opaque pixel as a word of `ImageData`. */
export function wordOf([red, green, blue]: Rgb): number {
  return (red | (green << 8) | (blue << 16) | (255 << 24)) >>> 0;
}

export function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** The lightness of a colour in Oklab, from 0 to 1. */
export function lightness(colour: Rgb): number {
  return toLab(colour)[0];
}

/** Index into a map for a value between the limits of its scale; values beyond have the colour of the limit. */
export function colourAt(value: number, low: number, high: number): number {
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return Math.round(Math.min(Math.max(part, 0), 1) * (COLOURS - 1));
}

// Ottosson 2020, "A perceptual color space for image processing".
function toLab(colour: Rgb): Rgb {
  const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as unknown as Rgb;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toRgb([light, a, b]: Rgb): Rgb {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const part = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
  return linear.map((value) => Math.round(Math.min(Math.max(part(Math.max(value, 0)), 0), 1) * 255)) as unknown as Rgb;
}
