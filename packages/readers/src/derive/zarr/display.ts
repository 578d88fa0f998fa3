/** Display ranges of channels that the file gives none. Pure. */
import type { SampleArray, SampleType } from '../../model/samples/types.js';
import type { SampleRows } from './chunk.js';

/** As in `omero`: possible values from `min` to `max`, shown from `start` to `end`. */
export interface ChannelRange {
  min: number;
  max: number;
  start: number;
  end: number;
}

/** Samples that a range is computed from, spread evenly over the plane. */
const MAX_SAMPLES = 262_144;
/** Part of the samples that is shown as black, and as full brightness. */
const CLIPPED = 0.001;

const BITS: Partial<Record<SampleType, number>> = { uint8: 8, uint16: 16, uint32: 32, uint64: 64 };
const SIGNED_BITS: Partial<Record<SampleType, number>> = { int8: 8, int16: 16, int32: 32, int64: 64 };

/** Returns the range of an integer type; `undefined` for floats. */
export function typeRange(type: SampleType): { min: number; max: number } | undefined {
  const unsigned = BITS[type];
  if (unsigned !== undefined) return { min: 0, max: 2 ** unsigned - 1 };
  const signed = SIGNED_BITS[type];
  return signed === undefined ? undefined : { min: -(2 ** (signed - 1)), max: 2 ** (signed - 1) - 1 };
}

/**
 * Returns the range of a plane: its extremes, and its 0.1 and 99.9 percentiles. Of a plane with more than 262,144 samples,
 * that many are looked at. Samples that are not finite are ignored.
 */
export function planeRange(plane: SampleRows): ChannelRange {
  const sorted = pickSamples(plane).filter(Number.isFinite).sort();
  if (sorted.length === 0) return { min: 0, max: 1, start: 0, end: 1 };
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)]!;
  const [min, max] = [at(0), at(1)];
  let [start, end] = [at(CLIPPED), at(1 - CLIPPED)];
  if (start === end) [start, end] = [min, max];
  return start === end ? { min, max: max + 1, start, end: end + 1 } : { min, max, start, end };
}

function pickSamples({ columns, segments }: SampleRows): Float64Array {
  const count = segments.reduce((sum, { samples }) => sum + samples.length, 0);
  const stride = strideFor(count, columns);
  const picked = new Float64Array(Math.ceil(count / stride));
  let index = 0;
  let to = 0;
  for (const { samples } of segments) {
    for (; index < samples.length; index += stride) picked[to++] = Number((samples as SampleArray)[index]);
    index -= samples.length;
  }
  return picked.subarray(0, to);
}

/** Returns a stride that does not always meet the same columns. */
function strideFor(count: number, columns: number): number {
  let stride = Math.ceil(count / MAX_SAMPLES);
  while (stride > 1 && greatestDivisor(stride, columns) > 1) stride++;
  return stride;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
