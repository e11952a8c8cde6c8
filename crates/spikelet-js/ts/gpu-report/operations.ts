// The operations of shaders/probe.wgsl with their expected results. Names, numbers and operands are those of the command line's report.

import { float, fromHalf, fused, isNaNWord, isSubnormal, roundEven, toHalf, word } from "./float.js";
import { type OperationLine, bits } from "./lines.js";

/** The operands of a case, as bits. */
export type Operands = readonly [number, number, number];

/**
 * Which operands are compared: normal numbers and infinities with such results; those where an operand or the result is subnormal, or becomes normal only
 * by rounding; those with a NaN; or any bits.
 */
type Kind = "normal" | "subnormal" | "NaN" | "words";

/** An operation. */
export interface Operation {
  readonly name: string;
  /** Its number in the shader. */
  readonly number: number;
  /** Operands that it uses. */
  readonly arity: number;
  readonly kind: Kind;
  /** The bits of its result; null where WGSL leaves it open. */
  readonly expected: (operands: Operands) => number | null;
  /** What is rounded on the way to the result. */
  readonly part?: (a: number, b: number) => number;
  /** Whether the result is a number, for which any NaN is as good as another. */
  readonly isNumber: boolean;
}

const round = Math.fround;

/** An operation on numbers. */
function onNumbers(name: string, number: number, arity: number, of: (a: number, b: number, c: number) => number, kind: Kind = "normal"): Operation {
  return { name, number, arity, kind, isNumber: true, expected: ([a, b, c]) => word(of(float(a), float(b), float(c))) };
}

/** An operation whose result is not a number of four bytes. */
function toWord(name: string, number: number, arity: number, expected: Operation["expected"], kind: Kind = "normal"): Operation {
  return { name, number, arity, kind, isNumber: false, expected };
}

/** `min` or `max`: the other number if one is NaN. Either zero is a result of 0 and -0. */
function extreme(name: string, number: number, isFirst: (a: number, b: number) => boolean, kind: Kind = "normal"): Operation {
  const of = (a: number, b: number) => (Number.isNaN(a) ? b : Number.isNaN(b) || isFirst(a, b) ? a : b);
  const plain = onNumbers(name, number, 2, of, kind);
  return { ...plain, expected: (operands) => (float(operands[0]) === 0 && float(operands[1]) === 0 ? null : plain.expected(operands)) };
}

const sum = (kind: Kind, name = "a+b") => onNumbers(name, 0, 2, (a, b) => a + b, kind);
const product = (kind: Kind, name = "a*b") => onNumbers(name, 2, 2, (a, b) => a * b, kind);
const quotient = (kind: Kind, name = "a/b") => onNumbers(name, 7, 2, (a, b) => a / b, kind);
const twice = (a: number, b: number, c: number) => round(a * b) + c;
const ofProduct = { part: (a: number, b: number) => a * b };
const smaller = (a: number, b: number) => (b < a ? b : a);
const compared = ([a, b]: Operands) => Number(float(a) < float(b)) + 2 * Number(float(a) === float(b)) + 4 * Number(float(a) > float(b));
const comparison = (kind: Kind, name = "a<b, a==b, a>b") => toWord(name, 22, 2, compared, kind);

/** A whole number, clamped to those that numbers of four bytes have, as in WGSL. */
function whole(bits: number, least: number, most: number): number | null {
  const value = float(bits);
  return Number.isFinite(value) ? Math.trunc(Math.min(Math.max(value, least), most)) >>> 0 : null;
}

/** Both numbers in two bytes each. WGSL leaves it open what is too large for them, and whether subnormal results are 0. */
function packed([a, b]: Operands): number | null {
  const fits = (bits: number) => {
    const size = Math.abs(float(bits));
    return size === 0 || (size >= 6.2e-5 && size < 65504);
  };
  return fits(a) && fits(b) ? (toHalf(a) | (toHalf(b) << 16)) >>> 0 : null;
}

/** All operations. Those with `exact` are as kernels are written, the others as WGSL allows devices to round them. */
export const OPERATIONS: readonly Operation[] = [
  sum("normal"),
  onNumbers("a-b", 1, 2, (a, b) => a - b),
  product("normal"),
  { ...onNumbers("a*b+c", 3, 3, twice), ...ofProduct },
  { ...onNumbers("exact(exact(a*b)+c)", 4, 3, twice), ...ofProduct },
  { ...onNumbers("fma(a,b,c)", 5, 3, fused), ...ofProduct },
  { ...onNumbers("(a+b)-a", 6, 2, (a, b) => round(a + b) - a), part: (a, b) => a + b },
  quotient("normal"),
  onNumbers("sqrt(a)", 8, 1, Math.sqrt),
  toWord("i32(a)", 9, 1, ([a]) => whole(a, -2147483648, 2147483520)),
  toWord("u32(a)", 10, 1, ([a]) => whole(a, 0, 4294967040)),
  toWord("f32(i32)", 11, 1, ([a]) => word(a | 0), "words"),
  toWord("f32(u32)", 12, 1, ([a]) => word(a), "words"),
  toWord("pack2x16float(a,b)", 13, 2, packed),
  { ...toWord("unpack2x16float(word).y", 14, 1, ([a]) => fromHalf(a >>> 16), "words"), isNumber: true },
  extreme("min(a,b)", 15, (a, b) => a < b),
  extreme("max(a,b)", 16, (a, b) => a > b),
  onNumbers("select(a,b,b<a)", 17, 2, smaller),
  onNumbers("select(a,b,b>a)", 18, 2, (a, b) => (b > a ? b : a)),
  onNumbers("floor(a)", 19, 1, Math.floor),
  onNumbers("round(a)", 20, 1, roundEven),
  onNumbers("trunc(a)", 21, 1, Math.trunc),
  comparison("normal"),
  sum("subnormal", "a+b, subnormal"),
  product("subnormal", "a*b, subnormal"),
  quotient("subnormal", "a/b, subnormal"),
  comparison("subnormal", "a<b, a==b, a>b, subnormal"),
  extreme("min(a,b), NaN", 15, (a, b) => a < b, "NaN"),
  extreme("max(a,b), NaN", 16, (a, b) => a > b, "NaN"),
  onNumbers("select(a,b,b<a), NaN", 17, 2, smaller, "NaN"),
  comparison("NaN", "a<b, a==b, a>b, NaN"),
  toWord("exact(word)", 23, 1, ([a]) => a, "words"),
];

/** Operations that kernels expect to be rounded as on a CPU; the others they avoid, or use only where the result is exact. */
export const RELIED: ReadonlySet<string> = new Set([
  "a+b", "a-b", "a*b", "a/b", "exact(exact(a*b)+c)", "select(a,b,b<a)", "select(a,b,b>a)", "floor(a)", "round(a)", "i32(a)", "u32(a)",
  "unpack2x16float(word).y", "a<b, a==b, a>b", "exact(word)",
]);

/** Most cases of an operation. */
const CASES = 4096;

/**
 * Numbers at the edges of what an operation has to round: zeros, powers of two and their neighbours, the largest and smallest normal and subnormal
 * numbers, whole numbers that are too long, thirds, infinities and NaN.
 */
const EDGES = [
  0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0600000,
  0x40000000, 0x40490fdb, 0x3eaaaaab, 0x3dcccccd, 0xbeaaaaab, 0x4b000000, 0x4b7fffff, 0x4b800001, 0x4f000000, 0xcf000000,
  0x4effffff, 0x4f7fffff, 0x4f800000, 0x477fe000, 0x38800000, 0x7f7fffff, 0xff7fffff, 0x7f000000, 0x5f800000, 0x1f800000,
  0x00800000, 0x80800000, 0x00800001, 0x01000000, 0x007fffff, 0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000,
];

/** The cases of an operation: pairs of edges, then random numbers; the same on every machine. */
export function casesOf(operation: Operation): Operands[] {
  const cases: Operands[] = [];
  const add = (operands: Operands) => {
    if (isWanted(operation, operands)) cases.push(operands);
  };
  let place = 0;
  for (const a of EDGES) for (const b of EDGES) add([a, b, EDGES[(place += 1) % EDGES.length]!]);
  let state = 0x9e3779b9 ^ operation.number;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  // Some are not of the wanted kind.
  for (let attempt = 0; attempt < 4 * CASES && cases.length < CASES; attempt += 1) add(drawn(operation.kind, random));
  return cases.slice(0, CASES);
}

/** Random operands. */
function drawn(kind: Kind, random: () => number): Operands {
  // A number from 2^least to 2^(least + span), of any sign.
  const number = (least: number, span: number) => ((random() & 0x807fffff) | ((127 + least + (random() % span)) << 23)) >>> 0;
  const inAnyOrder = (a: number, b: number): Operands => (random() % 2 === 0 ? [a, b, 0] : [b, a, 0]);
  if (kind === "words") return [random(), random(), random()];
  if (kind === "subnormal") return inAnyOrder((random() & 0x80ffffff) >>> 0, number(-126, 252));
  if (kind === "NaN") return inAnyOrder((random() | 0x7fc00000) >>> 0, number(-60, 120));
  // Close to each other, as in models, so that every bit of a sum is rounded; some far apart.
  if (random() % 8 > 0) return [number(-4, 8), number(-4, 8), number(-6, 12)];
  return [number(-60, 120), number(-60, 120), number(-60, 120)];
}

/** Whether operands and result are of the kind that is compared. */
function isWanted({ arity, kind, isNumber, expected, part }: Operation, operands: Operands): boolean {
  const result = expected(operands);
  if (result === null) return false;
  if (kind === "words") return true;
  const own = operands.slice(0, arity);
  const hasNaN = own.some(isNaNWord);
  const isPartTiny = part !== undefined && isTiny(word(part(float(operands[0]), float(operands[1]))));
  const hasSubnormal = own.some(isSubnormal) || (isNumber && isTiny(result)) || isPartTiny;
  if (kind === "NaN") return hasNaN && !hasSubnormal;
  return !hasNaN && hasSubnormal === (kind === "subnormal");
}

/** Whether a result may have been subnormal before it was rounded. */
function isTiny(bits: number): boolean {
  return isSubnormal(bits) || (bits & 0x7fffffff) === 0x00800000;
}

/** Compares the results of a device with those that are expected. */
export function judge(operation: Operation, cases: readonly Operands[], found: Uint32Array): OperationLine {
  const { name, arity, expected, isNumber } = operation;
  let [different, withFma, first]: [number, number, OperationLine["first"]] = [0, 0, undefined];
  for (const [place, operands] of cases.entries()) {
    const [wanted, result] = [expected(operands)!, found[place]!];
    if (wanted === result || (isNumber && isNaNWord(wanted) && isNaNWord(result))) continue;
    different += 1;
    if (arity === 3 && result === word(fused(float(operands[0]), float(operands[1]), float(operands[2])))) withFma += 1;
    first ??= { inputs: operands.slice(0, arity).map(bits), expected: bits(wanted), found: bits(result) };
  }
  return { kind: "operation", operation: name, cases: cases.length, different, ...(withFma > 0 && { fused: withFma }), ...(first && { first }) };
}
