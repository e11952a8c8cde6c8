// A drawing context that records vector graphics: the part of CanvasRenderingContext2D that plots use, written as SVG.

/** A transformation: x' = a x + c y + e, y' = b x + d y + f. */
type Matrix = readonly [number, number, number, number, number, number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The state that `save` and `restore` keep. */
interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: string;
  lineCap: string;
  globalAlpha: number;
  globalCompositeOperation: string;
  font: string;
  textAlign: string;
  textBaseline: string;
  dashes: readonly number[];
  matrix: Matrix;
  clip: string;
}

/** Properties of the context that plots set. */
const FIRST: State = {
  fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, lineJoin: "miter", lineCap: "butt", globalAlpha: 1,
  globalCompositeOperation: "source-over", font: "10px sans-serif", textAlign: "start", textBaseline: "alphabetic",
  dashes: [], matrix: IDENTITY, clip: "",
};

/** The width of a text in a font, in pixels. */
export type Measure = (text: string, font: string) => number;
/** The address of a picture as data. */
export type Encode = (image: unknown) => string;

/** Records what is drawn. {@link pen} is used in place of a context. */
export class Recorder {
  #state: State = { ...FIRST };
  #saved: State[] = [];
  #elements: string[] = [];
  #behind: string[] = [];
  #definitions: string[] = [];
  #path: string[] = [];
  #at: readonly [number, number] = [0, 0];
  readonly #measure: Measure;
  readonly #encode: Encode;
  readonly #prefix: string;

  /** @param prefix Prefix of the ids in the picture, which differs between the pictures of a page. */
  constructor(measure: Measure, encode: Encode, prefix = "clip") {
    this.#measure = measure;
    this.#encode = encode;
    this.#prefix = prefix;
  }

  /** The elements, with the definitions that they use. */
  get svg(): string {
    const definitions = this.#definitions.length === 0 ? "" : `<defs>${this.#definitions.join("")}</defs>`;
    // What is drawn last behind everything lies at the very back.
    return `${definitions}${this.#behind.toReversed().join("\n")}\n${this.#elements.join("\n")}`;
  }

  /** The context. An operation that is not recorded is an error, not a gap in the picture. */
  get pen(): CanvasRenderingContext2D {
    return new Proxy(this as unknown as CanvasRenderingContext2D, {
      get: (_, name: string) => {
        if (name in this.#state && name !== "dashes" && name !== "matrix" && name !== "clip") return this.#state[name as keyof State];
        const own: unknown = Reflect.get(this, name, this);
        if (own === undefined) throw new TypeError(`the SVG of a plot has no “${name}”`);
        return typeof own === "function" ? own.bind(this) : own;
      },
      set: (_, name: string, value: unknown) => {
        // As a canvas does, properties that have no effect on the picture are accepted.
        if (name in this.#state) Object.assign(this.#state, { [name]: value });
        return true;
      },
    });
  }

  save(): void {
    this.#saved.push({ ...this.#state });
  }

  restore(): void {
    this.#state = this.#saved.pop() ?? this.#state;
  }

  setTransform(a = 1, b = 0, c = 0, d = 1, e = 0, f = 0): void {
    this.#state.matrix = [a, b, c, d, e, f];
  }

  resetTransform(): void {
    this.#state.matrix = IDENTITY;
  }

  transform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    const [A, B, C, D, E, F] = this.#state.matrix;
    this.#state.matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
  }

  translate(x: number, y: number): void {
    this.transform(1, 0, 0, 1, x, y);
  }

  scale(x: number, y: number): void {
    this.transform(x, 0, 0, y, 0, 0);
  }

  rotate(angle: number): void {
    this.transform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0);
  }

  setLineDash(dashes: readonly number[]): void {
    this.#state.dashes = [...dashes];
  }

  getLineDash(): number[] {
    return [...this.#state.dashes];
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${short(x)} ${short(y)}`);
    this.#at = [x, y];
  }

  lineTo(x: number, y: number): void {
    if (this.#path.length === 0) return this.moveTo(x, y);
    const [beforeX, beforeY] = this.#at;
    this.#path.push(y === beforeY ? `H${short(x)}` : x === beforeX ? `V${short(y)}` : `L${short(x)} ${short(y)}`);
    this.#at = [x, y];
  }

  closePath(): void {
    this.#path.push("Z");
  }

  bezierCurveTo(...numbers: [number, number, number, number, number, number]): void {
    this.#path.push(`C${numbers.map(short).join(" ")}`);
    this.#at = [numbers[4], numbers[5]];
  }

  quadraticCurveTo(...numbers: [number, number, number, number]): void {
    this.#path.push(`Q${numbers.map(short).join(" ")}`);
    this.#at = [numbers[2], numbers[3]];
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`);
    this.#at = [x, y];
  }

  roundRect(x: number, y: number, width: number, height: number): void {
    this.rect(x, y, width, height);
  }

  arc(x: number, y: number, radius: number, from: number, to: number, isLeft = false): void {
    this.ellipse(x, y, radius, radius, 0, from, to, isLeft);
  }

  ellipse(x: number, y: number, radiusX: number, radiusY: number, turn: number, from: number, to: number, isLeft = false): void {
    const full = 2 * Math.PI;
    const swept = isLeft ? -Math.min(from - to < 0 ? ((from - to) % full) + full : from - to, full) : Math.min(to - from < 0 ? ((to - from) % full) + full : to - from, full);
    const point = (angle: number): readonly [number, number] => [
      x + radiusX * Math.cos(angle) * Math.cos(turn) - radiusY * Math.sin(angle) * Math.sin(turn),
      y + radiusX * Math.cos(angle) * Math.sin(turn) + radiusY * Math.sin(angle) * Math.cos(turn),
    ];
    this.lineTo(...point(from));
    // Two halves, because an arc of SVG cannot end where it begins.
    for (const angle of [from + swept / 2, from + swept]) {
      const [endX, endY] = point(angle);
      this.#path.push(`A${short(radiusX)} ${short(radiusY)} ${short((turn * 180) / Math.PI)} 0 ${swept < 0 ? 0 : 1} ${short(endX)} ${short(endY)}`);
      this.#at = [endX, endY];
    }
  }

  fill(): void {
    this.#add(`<path d="${this.#path.join("")}" fill="${text(this.#state.fillStyle)}"${this.#common}/>`);
  }

  stroke(): void {
    this.#add(`<path d="${this.#path.join("")}" fill="none"${this.#line}${this.#common}/>`);
  }

  clip(): void {
    const id = `${this.#prefix}${this.#definitions.length}`;
    this.#definitions.push(`<clipPath id="${id}"><path d="${this.#path.join("")}"${this.#transform}${this.#state.clip}/></clipPath>`);
    this.#state.clip = ` clip-path="url(#${id})"`;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    if (width === 0 || height === 0) return;
    this.#add(`<rect ${box(x, y, width, height)} fill="${text(this.#state.fillStyle)}"${this.#common}/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#add(`<rect ${box(x, y, width, height)} fill="none"${this.#line}${this.#common}/>`);
  }

  /** Plots clear the whole picture only, before they draw. */
  clearRect(): void {
    [this.#elements, this.#behind, this.#definitions, this.#saved, this.#path] = [[], [], [], [], []];
    this.#state = { ...this.#state, clip: "" };
  }

  measureText(shown: string): { width: number } {
    return { width: this.#measure(shown, this.#state.font) };
  }

  fillText(shown: string, x: number, y: number, room?: number): void {
    const { textAlign, textBaseline, font, fillStyle } = this.#state;
    const width = this.#measure(shown, font);
    const squeezed = room !== undefined && room < width ? ` textLength="${short(room)}" lengthAdjust="spacingAndGlyphs"` : "";
    const anchor = { center: "middle", right: "end", end: "end" }[textAlign] ?? "start";
    const size = sizeOf(font);
    // Offsets in font sizes; viewers differ in `dominant-baseline`.
    const depth = ({ top: 0.8, hanging: 0.8, middle: 0.35, bottom: -0.2, ideographic: -0.2 }[textBaseline] ?? 0) * size;
    this.#add(`<text x="${short(x)}" y="${short(y + depth)}" text-anchor="${anchor}"${squeezed} style="font: ${text(font)}" fill="${text(fillStyle)}"${this.#common}>${text(shown)}</text>`);
  }

  /** Pixels, at a position in pixels of the picture. */
  putImageData(image: { readonly width: number; readonly height: number }, x: number, y: number): void {
    this.#add(`<image ${box(x, y, image.width, image.height)} href="${this.#encode(image)}"/>`);
  }

  /** The whole picture, in its size or another. */
  drawImage(image: { readonly width: number; readonly height: number }, ...place: number[]): void {
    if (place.length > 4) throw new TypeError("the SVG of a plot has only whole pictures");
    const [x = 0, y = 0, width = image.width, height = image.height] = place;
    this.#add(`<image ${box(x, y, width, height)} preserveAspectRatio="none" href="${this.#encode(image)}"${this.#common}/>`);
  }

  get #line(): string {
    const { strokeStyle, lineWidth, lineJoin, lineCap, dashes } = this.#state;
    const dash = dashes.length === 0 ? "" : ` stroke-dasharray="${dashes.join(" ")}"`;
    return ` stroke="${text(strokeStyle)}" stroke-width="${short(lineWidth)}" stroke-linejoin="${lineJoin}" stroke-linecap="${lineCap}"${dash}`;
  }

  get #common(): string {
    const { globalAlpha, clip } = this.#state;
    return `${globalAlpha < 1 ? ` opacity="${short(globalAlpha)}"` : ""}${this.#transform}${clip}`;
  }

  get #transform(): string {
    const { matrix } = this.#state;
    return matrix.every((value, place) => value === IDENTITY[place]) ? "" : ` transform="matrix(${matrix.map((value) => Number(value.toFixed(5))).join(" ")})"`;
  }

  #add(element: string): void {
    if (this.#state.globalCompositeOperation === "destination-over") this.#behind.push(element);
    else this.#elements.push(element);
  }
}

/** Escapes a text of a document. Characters that XML does not allow are left out. */
export function text(raw: string): string {
  return String(raw).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replaceAll(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? "&quot;");
}

/** A length with two decimals, which is finer than any screen or print. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${short(Math.min(x, x + width))}" y="${short(Math.min(y, y + height))}" width="${short(Math.abs(width))}" height="${short(Math.abs(height))}"`;
}

/** The size of a font in px. */
function sizeOf(font: string): number {
  return Number(/([\d.]+)px/.exec(font)?.[1] ?? 10);
}
