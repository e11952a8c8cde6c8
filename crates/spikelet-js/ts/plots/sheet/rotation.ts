// Rotations and projections in up to four dimensions.

/** A 4 × 4 matrix by rows. */
export type Matrix = Float64Array;

/** Distance of the eye from the centre, in radii of the body, along w and along z. */
export const EYE_W = 2.6;
export const EYE_Z = 4;

export function identity(): Matrix {
  return Float64Array.from({ length: 16 }, (_, at) => Number(at % 5 === 0));
}

/** The rotation by an angle in the plane of two axes, applied after `before`. */
export function turned(before: Matrix, one: number, other: number, angle: number): Matrix {
  const after = Float64Array.from(before);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let column = 0; column < 4; column += 1) {
    const [a, b] = [before[one * 4 + column]!, before[other * 4 + column]!];
    after[one * 4 + column] = cos * a - sin * b;
    after[other * 4 + column] = sin * a + cos * b;
  }
  return orthonormal(after);
}

/** The same with exactly perpendicular rows of length 1: many small turns leave rounding errors. */
function orthonormal(matrix: Matrix): Matrix {
  for (let row = 0; row < 4; row += 1) {
    const of = matrix.subarray(row * 4, row * 4 + 4);
    for (let before = 0; before < row; before += 1) {
      const other = matrix.subarray(before * 4, before * 4 + 4);
      const along = dot(of, other);
      of.forEach((value, column) => (of[column] = value - along * other[column]!));
    }
    const length = Math.sqrt(dot(of, of));
    of.forEach((value, column) => (of[column] = value / length));
  }
  return matrix;
}

function dot(a: Float64Array, b: Float64Array): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
}

/** The first view: flat for a sheet, from an angle for a body. */
export function firstView(dimensions: number): Matrix {
  if (dimensions <= 2) return identity();
  const body = turned(turned(identity(), 0, 2, 0.6), 1, 2, 0.45);
  return dimensions === 3 ? body : turned(body, 0, 3, 0.35);
}

/**
 * A point after rotation and projection: x and y, its depth towards the eye (−1 to 1), and its magnification. Four dimensions are projected
 * to three along w as seen from a point on the w axis, then three to two along z.
 *
 * @param point Four coordinates in a body with a radius of 1, centred at 0.
 */
export function projected(point: ArrayLike<number>, rotation: Matrix, dimensions: number): [number, number, number, number] {
  const along = (row: number) =>
    rotation[row * 4]! * point[0]! + rotation[row * 4 + 1]! * point[1]! + rotation[row * 4 + 2]! * point[2]! + rotation[row * 4 + 3]! * point[3]!;
  const nearW = dimensions >= 4 ? EYE_W / (EYE_W - along(3)) : 1;
  const z = along(2) * nearW;
  const near = dimensions >= 3 ? EYE_Z / (EYE_Z - z) : 1;
  return [along(0) * nearW * near, along(1) * nearW * near, z, nearW * near];
}
