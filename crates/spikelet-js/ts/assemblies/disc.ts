// An area as a disc of dots.

/** A circle, in CSS pixels. */
export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** What the dots of a disc show. */
export interface Dots {
  /** Name of the area. */
  readonly area: string;
  /** Colour of neurons that do not fire. */
  readonly base: string;
  /** Colour of winners that belong to no assembly. */
  readonly plain: string;
  readonly winners: Uint32Array;
  readonly assemblies: readonly { readonly neurons: Uint32Array; readonly css: string }[];
}

/** The most neurons that are drawn without firing. */
const MAX_RESTING = 700;

/** The angle between dots that follow each other: the golden angle fills a disc evenly. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/**
 * The slot of a neuron in the disc of its area: scattered, because in the mode `lazy` winners have low indices, and by area, because neurons with the same
 * index in two areas have nothing in common.
 */
export function slotOf(neuron: number, n: number, area: string): number {
  let salt = 0;
  for (const letter of area) salt = Math.imul(salt, 31) + letter.codePointAt(0)!;
  let hash = Math.imul(neuron + 1, 0x9e3779b1) ^ Math.imul(salt, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
  return ((hash ^ (hash >>> 13)) >>> 0) % n;
}

/** The position of a slot of a disc: slots with near numbers are at about the same distance from the centre. */
function slotAt(slot: number, n: number, { x, y, radius }: Circle): [number, number] {
  const distance = radius * 0.97 * Math.sqrt((slot + 0.5) / n);
  return [x + distance * Math.cos(slot * GOLDEN), y + distance * Math.sin(slot * GOLDEN)];
}

/** Draws the neurons of an area: faint ones, those of assemblies, and the winners on top of them. */
export function drawDots(pen: CanvasRenderingContext2D, circle: Circle, n: number, { area, base, plain, winners, assemblies }: Dots): void {
  const dotAt = (neuron: number) => slotAt(slotOf(neuron, n, area), n, circle);
  const size = Math.min(4, Math.max(1, (circle.radius / Math.sqrt(Math.min(n, MAX_RESTING))) * 0.42));
  const dot = ([x, y]: [number, number], radius: number, from = 0, to = 2 * Math.PI) => {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.arc(x, y, radius, from, to);
    pen.fill();
  };
  pen.fillStyle = base;
  pen.globalAlpha = 0.22;
  // Every few slots of the disc are drawn, so that they are even however large the area is.
  const shown = Math.min(n, MAX_RESTING);
  for (let place = 0; place < shown; place += 1) dot(slotAt(Math.floor((place * n) / shown), n, circle), size * 0.7);
  const colours = new Map<number, string[]>();
  for (const { neurons, css } of assemblies) {
    pen.fillStyle = css;
    pen.globalAlpha = 0.4;
    for (const neuron of neurons) {
      dot(dotAt(neuron), size * 0.85);
      colours.set(neuron, [...(colours.get(neuron) ?? []), css]);
    }
  }
  for (const [radius, alpha] of [[size * 2.6, 0.16], [size * 1.25, 1]] as const) {
    pen.globalAlpha = alpha;
    for (const neuron of winners) {
      const own = colours.get(neuron) ?? [plain];
      // A neuron of several assemblies has a sector of each colour.
      own.forEach((css, place) => {
        pen.fillStyle = css;
        dot(dotAt(neuron), radius, (place / own.length) * 2 * Math.PI, ((place + 1) / own.length) * 2 * Math.PI);
      });
    }
  }
  pen.globalAlpha = 1;
}
