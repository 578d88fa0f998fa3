/** Which dimension of an array is which axis. Pure. */
import { unsupported } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { SeriesFacts } from './facts.js';

export interface NwbLayout {
  /** Dimension of the array along each axis; `undefined` for an axis that it does not have. */
  x: number;
  y: number;
  t: number | undefined;
  z: number | undefined;
  c: number | undefined;
  /** True when the rows follow each other in time. */
  lines: boolean;
  /** A warning when the file does not describe the order of the dimensions. */
  guess: string | undefined;
}

const NOTHING = { t: undefined, z: undefined, c: undefined, lines: false, guess: undefined };

/**
 * Finds the axes of an array. The schema has (frame, x, y[, z]) with x the width, but half of the programs write the height
 * first (nwb-schema #660). The sizes in the metadata decide, then the aspect ratio of the field of view, then the schema.
 * @param bytes the pixels are bytes, as those of color images are
 * @throws AcqError `unsupported_format`
 */
export function layoutOf(shape: readonly number[], facts: SeriesFacts, isPhotons: boolean, bytes: boolean): NwbLayout {
  const [frames = 0, first = 0, second = 0, last = 0] = shape;
  if (shape.length === 2) return { ...NOTHING, y: 0, x: 1, lines: true };
  if (shape.length !== 3 && shape.length !== 4) {
    throw unsupported(
      `the dataset has ${grouped(shape.length)} dimensions (${shape.map(grouped).join(' × ')}); expected 2, 3 or 4`,
    );
  }
  if (shape.length === 3 && frames > 1 && (first === 1 || second === 1)) {
    return { ...NOTHING, y: 0, x: second === 1 ? 1 : 2, lines: true };
  }
  const { widthFirst, guess } = orderOf(first, second, facts);
  const axes = widthFirst ? { x: 1, y: 2 } : { x: 2, y: 1 };
  if (shape.length === 3) return { ...NOTHING, ...axes, t: 0, guess };
  const isColor = bytes && !isPhotons && (last === 3 || last === 4) && facts.dimension.length !== 3;
  return { ...NOTHING, ...axes, t: 0, guess, ...(isColor ? { c: 3 } : { z: 3 }) };
}

interface Order {
  widthFirst: boolean;
  guess: string | undefined;
}

function orderOf(first: number, second: number, { dimension, fieldOfView, gridSpacing }: SeriesFacts): Order {
  const exact = match(dimension, first, second, 0);
  if (exact !== undefined) return { widthFirst: exact, guess: undefined };
  const pixels = [0, 1].map((i) => Math.round((fieldOfView[i] ?? 0) / (gridSpacing[i] ?? 0)));
  const counted = match(pixels, first, second, 1);
  if (counted !== undefined) return { widthFirst: counted, guess: undefined };
  const [wide = 0, high = 0] = fieldOfView;
  const aspect = wide > 0 && high > 0 ? Math.log(wide / high) : 0;
  const actual = Math.log(first / second);
  if (Math.abs(aspect) > 0.05 && Math.abs(Math.abs(aspect) - Math.abs(actual)) < 0.02) {
    const widthFirst = Math.sign(aspect) === Math.sign(actual);
    return {
      widthFirst,
      guess: `The ${widthFirst ? 'width' : 'height'} of the frames was assumed to come first, as the field of view suggests.`,
    };
  }
  return { widthFirst: true, guess: schemaGuess(first, second) };
}

/** Returns the warning for an array whose order of dimensions was assumed to be that of the schema. */
export function schemaGuess(first: number, second: number): string {
  return (
    `The file does not say whether ${grouped(first)} × ${grouped(second)} is width × height, as in the NWB schema, or height × width, as some ` +
    'programs write it. Width × height was assumed. If rows and columns look swapped, it is height × width.'
  );
}

/** True when (x, y) = `sizes` is (first, second), false for the reverse; `undefined` when it is neither or both. */
function match(sizes: readonly number[], first: number, second: number, tolerance: number): boolean | undefined {
  const [x, y] = sizes;
  const near = (a: number | undefined, b: number) => a !== undefined && Math.abs(a - b) <= tolerance;
  if (Math.abs(first - second) <= 2 * tolerance) return undefined;
  if (near(x, first) && near(y, second)) return true;
  return near(x, second) && near(y, first) ? false : undefined;
}
