// Where the neurons of a population are.

import type { NeuronPositions } from "../../raw.js";

/** Neurons as points of a body that is centred at 0 with a radius of 1. */
export interface BodyLayout {
  readonly dimensions: number;
  readonly size: number;
  /** Four coordinates of each neuron, by neuron. */
  readonly points: Float32Array;
  /** Half the extent along each axis, in the same unit. */
  readonly half: readonly [number, number, number, number];
  /** Distance of neighbours: exact for grids, else of as many neurons on a grid. */
  readonly spacing: number;
  /** Whether the neurons are on a grid. */
  readonly isGrid: boolean;
  /** The range of coordinates along each axis, with half a spacing on both sides, and their unit; no unit without stated positions. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly unit: string;
}

/** The layout of neurons with positions. */
export function layoutOf({ dimensions, coordinates, shape, unit }: Pick<NeuronPositions, "dimensions" | "coordinates" | "shape" | "unit">): BodyLayout {
  const size = coordinates.length / dimensions;
  const least = Array<number>(dimensions).fill(Infinity);
  const most = Array<number>(dimensions).fill(-Infinity);
  coordinates.forEach((at, place) => {
    const axis = place % dimensions;
    if (at < least[axis]!) least[axis] = at;
    if (at > most[axis]!) most[axis] = at;
  });
  const extents = least.map((low, axis) => most[axis]! - low);
  const spacing = spacingOf(extents, shape, size);
  const ranges = least.map((low, axis): [number, number] => [low - spacing / 2, most[axis]! + spacing / 2]);
  const lengths = ranges.map(([low, high]) => (high - low) / 2);
  const radius = dimensions <= 2 ? Math.max(...lengths) : Math.hypot(...lengths);
  const points = new Float32Array(size * 4);
  for (let neuron = 0; neuron < size; neuron += 1) {
    for (let axis = 0; axis < dimensions; axis += 1) {
      const [low, high] = ranges[axis]!;
      points[neuron * 4 + axis] = (coordinates[neuron * dimensions + axis]! - (low + high) / 2) / radius;
    }
  }
  const [x = 0, y = 0, z = 0, w = 0] = lengths.map((length) => length / radius);
  return { dimensions, size, points, half: [x, y, z, w], spacing: spacing / radius, isGrid: shape.length > 0, ranges, unit };
}

/** Neurons without positions, in rows of a number of columns, the first row at the top. */
export function arranged(size: number, columns: number): BodyLayout {
  const rows = Math.ceil(size / columns);
  const coordinates = new Float32Array(size * 2);
  for (let neuron = 0; neuron < size; neuron += 1) {
    coordinates[neuron * 2] = neuron % columns;
    coordinates[neuron * 2 + 1] = -Math.floor(neuron / columns);
  }
  return layoutOf({ dimensions: 2, coordinates, shape: [Math.min(columns, size), rows], unit: "" });
}

/** The number of columns of the most compact arrangement. */
export function compact(size: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(size)));
}

function spacingOf(extents: readonly number[], shape: readonly number[], size: number): number {
  const axis = shape.findIndex((edge, at) => edge > 1 && extents[at]! > 0);
  if (axis >= 0) return extents[axis]! / (shape[axis]! - 1);
  const wide = extents.filter((extent) => extent > 0);
  if (wide.length === 0) return 1;
  return (wide.reduce((volume, extent) => volume * extent, 1) / Math.max(size, 1)) ** (1 / wide.length);
}
