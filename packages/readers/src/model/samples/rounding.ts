/** Finds samples that the served form, float32, cannot hold, and says so. */
import { grouped } from '../../base/wording.js';
import { roundBigToFloat32, type SamplePiece } from './plane-target.js';
import { isBig, type SampleType } from './types.js';

/** A sample that float32 cannot hold, as text: a JavaScript number cannot hold every integer of 64 bits either. */
export interface Rounding {
  stored: string;
  served: string;
  /** A finite number became infinite. */
  isInfinite: boolean;
}

/** Whole numbers up to here are numbers of float32. */
const MAX_WHOLE = 2 ** 24;
/** The same, because comparing an integer of 64 bits with a number takes twice as long. */
const BIG_WHOLE = BigInt(MAX_WHOLE);
const WHOLE: readonly SampleType[] = ['uint32', 'int32', 'uint64', 'int64'];

/**
 * Returns a sample of a piece that changes when it is served, preferably one that becomes infinite.
 * @param known what was found in other blocks of the plane
 */
export function findRounding(
  piece: SamplePiece,
  rows: number,
  columns: number,
  known: Rounding | undefined,
): Rounding | undefined {
  const { samples } = piece;
  const isFloat = samples instanceof Float64Array;
  if (known && (known.isInfinite || !isFloat)) return known;
  if (isBig(samples)) return scan(piece, rows, columns, (i) => roundedBig(samples[i]!));
  if (isFloat) return scanFloats(samples, piece, { rows, columns }, known);
  const isLong = samples instanceof Uint32Array || samples instanceof Int32Array;
  return isLong ? scan(piece, rows, columns, (i) => rounded(samples[i]!)) : undefined;
}

function scan(
  { offset, rowStride, columnStride }: SamplePiece,
  rows: number,
  columns: number,
  check: (index: number) => Rounding | undefined,
): Rounding | undefined {
  for (let row = 0; row < rows; row++) {
    let index = offset + row * rowStride;
    for (let column = 0; column < columns; column++, index += columnStride) {
      const found = check(index);
      if (found) return found;
    }
  }
  return undefined;
}

/** A sample that becomes infinite says more than one that loses a digit. */
function scanFloats(
  samples: Float64Array,
  piece: SamplePiece,
  { rows, columns }: { rows: number; columns: number },
  known: Rounding | undefined,
): Rounding | undefined {
  let found = known;
  const infinite = scan(piece, rows, columns, (i) => {
    const value = samples[i]!;
    const served = Math.fround(value);
    if (served === value) return undefined;
    found ??= rounded(value);
    return Number.isFinite(value) && !Number.isFinite(served) ? rounded(value) : undefined;
  });
  return infinite ?? found;
}

function rounded(value: number): Rounding | undefined {
  const served = Math.fround(value);
  if (served === value || Number.isNaN(value)) return undefined;
  return { stored: show(value), served: show(served), isInfinite: !Number.isFinite(served) };
}

function roundedBig(value: bigint): Rounding | undefined {
  if (value <= BIG_WHOLE && value >= -BIG_WHOLE) return undefined;
  const served = BigInt(roundBigToFloat32(value));
  return served === value ? undefined : { stored: show(value), served: show(served), isInfinite: false };
}

function show(value: number | bigint): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return grouped(value);
  return Number.isFinite(value) ? String(value) : 'infinite';
}

/** Returns the warning for samples that were changed. @param where begins the sentence in the place of the planes */
export function describeRounding({ stored, served }: Rounding, where = 'Some samples'): string {
  return (
    `${where} are not exact: planes are served as float32, in which ${stored} is ${served}. ` +
    'Data in the type of the file are unchanged.'
  );
}

/** Returns the warning for planes of a type before they are decoded; `undefined` when float32 holds all of its numbers. */
export function describePossibleRounding(type: SampleType): string | undefined {
  if (WHOLE.includes(type)) {
    return (
      `Samples are ${type}. Planes are served as float32, which holds whole numbers exactly only up to ` +
      `${grouped(MAX_WHOLE)}: larger ones will be rounded.`
    );
  }
  if (type !== 'float64') return undefined;
  return 'Samples are float64. Planes are served as float32, which keeps about seven digits and numbers up to 3.4e38.';
}
