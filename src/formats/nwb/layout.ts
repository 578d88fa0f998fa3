/** Which dimension of the data is what. Pure. */
import { unsupported } from '../../errors.js';
import type { SeriesFacts } from './facts.js';

export interface NwbLayout {
  /** Dimensions of the array; `undefined` for one that it does not have. */
  x: number;
  y: number;
  t: number | undefined;
  z: number | undefined;
  c: number | undefined;
  /** The rows are entries in time. */
  lines: boolean;
  /** What was concluded without a statement of the file. */
  guess: string | undefined;
}

const NOTHING = { t: undefined, z: undefined, c: undefined, lines: false, guess: undefined };

/**
 * The schema has (frame, x, y[, z]) with x the width; half of the programs write the height first (nwb-schema #660). A
 * statement of the sizes decides, then the aspect of the field, then the schema.
 * @param bytes pixels of one byte, which colours have
 * @throws AcqError `unsupported_format`
 */
export function layoutOf(shape: readonly number[], facts: SeriesFacts, isPhotons: boolean, bytes: boolean): NwbLayout {
  const [frames = 0, first = 0, second = 0, last = 0] = shape;
  if (shape.length === 2) return { ...NOTHING, y: 0, x: 1, lines: true };
  if (shape.length !== 3 && shape.length !== 4) {
    throw unsupported(`its data have ${shape.length} dimensions (${shape.join(' × ')}); 2, 3 and 4 are read`);
  }
  if (shape.length === 3 && frames > 1 && (first === 1 || second === 1)) {
    return { ...NOTHING, y: 0, x: second === 1 ? 1 : 2, lines: true };
  }
  const { widthFirst, guess } = orderOf(first, second, facts);
  const axes = widthFirst ? { x: 1, y: 2 } : { x: 2, y: 1 };
  if (shape.length === 3) return { ...NOTHING, ...axes, t: 0, guess };
  const colours = bytes && !isPhotons && (last === 3 || last === 4) && facts.dimension.length !== 3;
  return { ...NOTHING, ...axes, t: 0, guess, ...(colours ? { c: 3 } : { z: 3 }) };
}

interface Order {
  widthFirst: boolean;
  guess: string | undefined;
}

function orderOf(first: number, second: number, { dimension, fieldOfView, gridSpacing }: SeriesFacts): Order {
  const stated = match(dimension, first, second, 0);
  if (stated !== undefined) return { widthFirst: stated, guess: undefined };
  const pixels = [0, 1].map((i) => Math.round((fieldOfView[i] ?? 0) / (gridSpacing[i] ?? 0)));
  const counted = match(pixels, first, second, 1);
  if (counted !== undefined) return { widthFirst: counted, guess: undefined };
  const [wide = 0, high = 0] = fieldOfView;
  const aspect = wide > 0 && high > 0 ? Math.log(wide / high) : 0;
  const own = Math.log(first / second);
  if (Math.abs(aspect) > 0.05 && Math.abs(Math.abs(aspect) - Math.abs(own)) < 0.02) {
    const widthFirst = Math.sign(aspect) === Math.sign(own);
    return {
      widthFirst,
      guess: `The frames are ${widthFirst ? 'width' : 'height'} first, as the field of view suggests.`,
    };
  }
  return { widthFirst: true, guess: schemaGuess(first, second) };
}

/** The warning of an array that is taken as the schema has it. */
export function schemaGuess(first: number, second: number): string {
  return (
    `The file does not say whether ${first} × ${second} is width × height, as the NWB schema has it and as it is served, ` +
    'or height × width, as some programs write it. If rows and columns look exchanged, it is the latter.'
  );
}

/** Whether (x, y) = `sizes` is (first, second) or the reverse; `undefined` when it is neither, or both. */
function match(sizes: readonly number[], first: number, second: number, tolerance: number): boolean | undefined {
  const [x, y] = sizes;
  const near = (a: number | undefined, b: number) => a !== undefined && Math.abs(a - b) <= tolerance;
  if (Math.abs(first - second) <= 2 * tolerance) return undefined;
  if (near(x, first) && near(y, second)) return true;
  return near(x, second) && near(y, first) ? false : undefined;
}
