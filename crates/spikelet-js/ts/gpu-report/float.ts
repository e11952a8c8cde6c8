// Arithmetic of numbers of four bytes by their bits. JavaScript has numbers of eight bytes: sums, products, quotients and roots of two numbers of
// four bytes that are computed in eight and then rounded are exactly those that are rounded once.

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);
/** The place of the lower half of a number of eight bytes. */
const LOWER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** The number with these bits. */
export function float(word: number): number {
  words[0] = word;
  return floats[0]!;
}

/** The bits of a number, after rounding. */
export function word(value: number): number {
  floats[0] = value;
  return words[0]!;
}

export function isNaNWord(bits: number): boolean {
  return (bits & 0x7fffffff) >>> 0 > 0x7f800000;
}

export function isSubnormal(bits: number): boolean {
  return (bits & 0x7f800000) === 0 && (bits & 0x007fffff) !== 0;
}

/** a · b + c, rounded once. */
export function fused(a: number, b: number, c: number): number {
  // Exact: two times 24 bits.
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return Math.fround(sum);
  // What the sum lost, exactly. Its last bit then says that something is missing, so that the second rounding is not misled (round to odd).
  const part = sum - product;
  const lost = product - (sum - part) + (c - part);
  if (lost === 0) return Math.fround(sum);
  double[0] = sum;
  if ((halves[LOWER]! & 1) === 1) return Math.fround(sum);
  const isLarger = lost > 0 === sum > 0;
  // The number is even: its neighbours differ in the lower half, or borrow from the upper one.
  if (isLarger) halves[LOWER]! |= 1;
  else if (halves[LOWER] === 0) {
    halves[LOWER] = 0xffffffff;
    halves[1 - LOWER]! -= 1;
  } else halves[LOWER]! -= 1;
  return Math.fround(double[0]);
}

/** To the nearest whole number, ties to even. */
export function roundEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
  // Keeps the sign of a zero.
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

/** A number in two bytes, rounded to the nearest, ties to even; only from 2^-14 to 65504, and 0. */
export function toHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  // 13 bits of the mantissa are dropped; the bias of the exponent is 112 less.
  return size === 0 ? sign : sign | (((size + 0xfff + ((size >>> 13) & 1)) >>> 13) - (112 << 10));
}

/** The bits of a number of two bytes. */
export function fromHalf(half: number): number {
  const sign = (half & 0x8000) * 0x10000;
  const [exponent, mantissa] = [(half >>> 10) & 31, half & 1023];
  if (exponent === 0) return (sign | word(mantissa * 2 ** -24)) >>> 0;
  return (sign | (exponent === 31 ? 0x7f800000 | (mantissa << 13) : ((exponent + 112) << 23) | (mantissa << 13))) >>> 0;
}
