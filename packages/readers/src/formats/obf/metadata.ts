/** From a stack to its scene. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { NO_CLOCK } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { type SampleType, storedBytes } from '../../model/samples/types.js';
import { axesOf, type ObfAxis, type StackAxes } from './axes.js';
import { type StackData, stackData } from './data.js';
import type { RawStack } from './parse.js';

const TYPES: Readonly<Record<number, { sampleType: SampleType; samples?: number }>> = {
  ...{ 1: { sampleType: 'uint8' }, 2: { sampleType: 'int8' }, 4: { sampleType: 'uint16' }, 8: { sampleType: 'int16' } },
  ...{ 16: { sampleType: 'uint32' }, 32: { sampleType: 'int32' }, 64: { sampleType: 'float32' } },
  ...{ 128: { sampleType: 'float64' }, 4096: { sampleType: 'uint64' }, 8192: { sampleType: 'int64' } },
  ...{ 65536: { sampleType: 'uint8' }, 1024: { sampleType: 'uint8', samples: 3 } },
  2048: { sampleType: 'uint8', samples: 4 },
};
const COMPLEX = 2 ** 30;
const COLORS = ['Red', 'Green', 'Blue', 'Alpha'];
/** A length below is in meters where the file states no unit; above, in micrometers. */
const MAX_METERS = 0.01;

export interface ObfScene {
  raw: RawStack;
  info: SceneInfo;
  axes: StackAxes;
  /** Samples of a pixel: 3 or 4 of color images. */
  samples: number;
  data: StackData;
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function toScene(raw: RawStack, fileBytes: number): ObfScene {
  const notes = new Notes();
  if (raw.type >= COMPLEX) throw unsupported('complex numbers are not supported. Save the amplitude in Imspector.');
  const type = TYPES[raw.type];
  if (!type) throw unsupported(`samples of type ${raw.type} are not supported`);
  if (raw.compression > 1) throw unsupported(`compression ${raw.compression} is not supported`);
  if (raw.sizes.includes(0)) throw decodeFailed('is empty; the recording was probably interrupted');
  const { sampleType, samples = 1 } = type;
  const axes = axesOf(raw, notes);
  const sizes = sizesOf(raw, axes);
  const channels = samples * product(raw, axes, 'C');
  if (sizes.T * sizes.Z > LIMITS.planes || channels > LIMITS.channels) {
    throw decodeFailed(
      `has ${plural(sizes.T * sizes.Z, 'plane')} of ${plural(channels, 'channel')}; the file is corrupted`,
    );
  }
  const pixels = raw.sizes.reduce((count, size) => count * size, 1);
  if (!Number.isSafeInteger(pixels * samples * 8)) throw decodeFailed('is larger than any file; the file is corrupted');
  const data = stackData(raw, pixels * samples, storedBytes(sampleType), fileBytes, notes);
  const resolved = { T: resolve(raw, axes, 'T', notes), Z: resolve(raw, axes, 'Z', notes) };
  const { rowAxis } = axes;
  const rows = rowAxis === 'Y' || rowAxis === undefined ? lengthStep(raw, axes, 'Y', notes) : resolved[rowAxis].step;
  const info: SceneInfo = {
    name: cleanName(raw.name),
    sampleType,
    channels: toChannels(axes, samples, channels),
    sizes,
    steps: {
      T: sizes.T > 1 ? resolved.T.step : defaultStep('Frames'),
      Z: sizes.Z > 1 ? resolved.Z.step : defaultStep('Planes'),
      Y: rows,
      X: lengthStep(raw, axes, 'X', notes),
    },
    ...coordinatesOf(axes, resolved),
    ...depthRows(rowAxis === 'Z', notes),
    ...NO_CLOCK,
    reference: null,
    warnings: [],
  };
  return { raw, info: { ...info, warnings: notes.list() }, axes, samples, data };
}

function product({ sizes }: RawStack, { axes }: StackAxes, wanted: ObfAxis): number {
  return sizes.reduce((count, size, k) => (axes[k] === wanted ? count * size : count), 1);
}

function sizesOf(raw: RawStack, axes: StackAxes): SceneInfo['sizes'] {
  const of = (axis: ObfAxis) => product(raw, axes, axis);
  const isRow = (axis: 'T' | 'Z') => axes.rowAxis === axis;
  return {
    T: isRow('T') ? 1 : of('T'),
    Z: isRow('Z') ? 1 : of('Z'),
    Y: axes.rows === undefined ? 1 : raw.sizes[axes.rows]!,
    X: axes.columns === undefined ? 1 : raw.sizes[axes.columns]!,
  };
}

function toChannels({ extra }: StackAxes, samples: number, count: number): SceneInfo['channels'] {
  if (count === samples && samples > 1) {
    return channelsShown(channelsNamed(COLORS.slice(0, samples)), SAMPLE_DISPLAYS);
  }
  const names = Array.from({ length: count }, (_, i) => (extra && samples === 1 ? `${extra} ${i + 1}` : undefined));
  return channelsNamed(names);
}

/** The values of an axis that is along the rows are those of Y. */
function coordinatesOf({ rowAxis }: StackAxes, { T, Z }: { T: ResolvedAxis; Z: ResolvedAxis }) {
  if (rowAxis === 'T') return measuredAxes({ Y: T, Z });
  return rowAxis === 'Z' ? measuredAxes({ Y: Z, T }) : measuredAxes({ T, Z });
}

/** Positions of the entries beat the whole length. */
function resolve(raw: RawStack, { axes, rowAxis }: StackAxes, axis: 'T' | 'Z', notes: Notes): ResolvedAxis {
  const k = axes.indexOf(axis);
  const unit = axis === 'T' ? 'seconds' : 'micrometer';
  const size = raw.sizes[k] ?? 1;
  const factor = k < 0 ? undefined : factorOf(raw, k, axis, notes);
  const name = rowAxis === axis ? 'Y' : axis;
  if (factor === undefined) return resolveAxis(name, size, { unit }, notes);
  const nominal = [{ step: withoutNoise(Math.abs(raw.lengths[k]! / size) * factor), what: 'the length of the axis' }];
  const at = raw.footer?.positions.get(k)?.map((value) => value * factor);
  const measured = at && at.length > 0 ? { at, what: 'positions of its entries' } : undefined;
  return resolveAxis(name, size, { unit, nominal, measured }, notes);
}

function lengthStep(raw: RawStack, { axes }: StackAxes, axis: 'X' | 'Y', notes: Notes): Step {
  const k = axes.indexOf(axis);
  const factor = k < 0 ? undefined : factorOf(raw, k, axis, notes);
  if (factor === undefined) return defaultStep();
  const step = withoutNoise(Math.abs(raw.lengths[k]! / raw.sizes[k]!) * factor);
  return resolveAxis(
    axis,
    raw.sizes[k]!,
    { unit: 'micrometer', nominal: [{ step, what: 'the length of the axis' }] },
    notes,
  ).step;
}

/** Returns what converts lengths of a dimension to micrometers, or to seconds; `undefined` when its unit is another one. */
function factorOf({ footer, lengths }: RawStack, k: number, axis: ObfAxis, notes: Notes): number | undefined {
  const wanted = axis === 'T' ? 'time' : 'length';
  const unit = footer?.units[k];
  if (unit?.kind === wanted && unit.factor > 0) return wanted === 'time' ? unit.factor : 1e6 * unit.factor;
  if (wanted === 'time') {
    notes.add('The unit of the time axis is not a time; the axis is in Frames.');
    return undefined;
  }
  if (unit && unit.kind === 'time') {
    notes.add(`The unit of the ${axis} axis is a time, not a length. It was ignored.`);
    return undefined;
  }
  const isMeters = Math.abs(lengths[k]!) < MAX_METERS;
  notes.add(
    `The file does not state the unit of the ${axis} axis. Its length, ${lengths[k]}, was assumed to be in ${isMeters ? 'meters' : 'micrometers'}.`,
  );
  return isMeters ? 1e6 : 1;
}
