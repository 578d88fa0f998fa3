/** From the headers of a DeltaVision file to its scenes. */

import { unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ChannelInfo, PlaneAddress, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { shortestDecimal, withoutNoise } from '../../model/metadata/float32.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { type GridAxis, gridSize, planeNumber } from '../../model/metadata/mixed-radix.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { type SampleType, storedBytes } from '../../model/samples/types.js';
import { HEADER_BYTES } from './magic.js';
import type { RawDeltaVision } from './parse.js';
import type { SectionField, SectionValue } from './sections.js';

const PIXEL_TYPES: Readonly<Record<number, SampleType>> = {
  ...{ 0: 'uint8', 1: 'int16', 2: 'float32', 5: 'int16', 6: 'uint16', 7: 'int32', 8: 'float64' },
};
const UNREAD: Readonly<Record<number, string>> = { 3: 'complex integers', 4: 'complex floats' };
/** A clock before 1980 or after 2100 was never set. */
const CLOCK = { from: 315_532_800, to: 4_102_444_800 };

/** What scenes are made of. */
export interface Layout {
  raw: RawDeltaVision;
  sampleType: SampleType;
  axes: readonly GridAxis[];
  sectionValue: SectionValue;
}

/** @throws AcqError `unsupported_format` for samples of another type */
export function sampleTypeOf({ mode }: RawDeltaVision): SampleType {
  const sampleType = PIXEL_TYPES[mode];
  if (sampleType) return sampleType;
  const what = UNREAD[mode] ?? 'unknown samples';
  throw unsupported(
    `pixel type ${mode} (${what}) is not supported. Save the image as 16-bit integers or 32-bit floats.`,
  );
}

/** Returns a scene for each panel. `notes` are about the whole file. */
export function toScenes(layout: Layout, fileBytes: number, notes: Notes): SceneInfo[] {
  const { raw, sampleType } = layout;
  const [columns, rows, planes] = raw.size;
  const planeBytes = columns * rows * storedBytes(sampleType);
  const available = Math.floor((fileBytes - HEADER_BYTES - raw.extendedBytes) / planeBytes);
  if (available < planes) {
    notes.add(
      asCorrupted(
        `The file ends after ${grouped(Math.max(0, available))} of ${plural(planes, 'plane')}. Copy it again.`,
      ),
    );
  }
  return Array.from({ length: raw.panels }, (_, scene) => toScene(layout, scene, notes));
}

function toScene(layout: Layout, scene: number, shared: Notes): SceneInfo {
  const { raw, axes, sampleType } = layout;
  const notes = new Notes();
  notes.addAll(shared.list());
  const [X, Y] = raw.size;
  const [T, Z] = [gridSize(axes, 'T'), gridSize(axes, 'Z')];
  const time = resolveTimes(layout, scene, T, notes);
  const depth = resolveDepths(layout, scene, Z, notes);
  const at = (field: SectionField) => valueAt(layout, { scene, channel: 0, t: 0, z: 0 }, field);
  return {
    name: raw.panels > 1 ? `Panel ${scene + 1}` : '',
    sampleType,
    channels: toChannels(layout, scene),
    sizes: { T, Z, Y, X },
    steps: {
      T: time.step,
      Z: Z > 1 ? depth.step : defaultStep('Planes'),
      Y: lengthStep(raw, 1),
      X: lengthStep(raw, 0),
    },
    ...measuredAxes({ T: time, Z: depth }),
    ...toInstrument({ stage: { x: at('x'), y: at('y'), z: at('z') }, ...startOf(raw) }),
    date: '',
    time: '',
    reference: null,
    warnings: notes.list(),
  };
}

function toChannels(layout: Layout, scene: number): ChannelInfo[] {
  const { raw } = layout;
  const nanometers = Array.from({ length: raw.waves }, (_, wave) => raw.wavelengths[wave] ?? 0);
  const named = channelsNamed(nanometers.map((value) => (value > 0 ? `${value} nm` : undefined)));
  return named.map((channel, wave) => {
    const at = (field: SectionField) => valueAt(layout, { scene, channel: wave, t: 0, z: 0 }, field);
    const emissionNm = nanometers[wave]! > 0 ? nanometers[wave] : at('emissionNm');
    return {
      ...channel,
      ...toOptics({ emissionNm, excitationNm: at('excitationNm'), exposureSeconds: at('exposure') }),
    };
  });
}

/** Returns a value of a plane; `undefined` where the file has none. */
export function valueAt(
  { axes, sectionValue }: Layout,
  address: PlaneAddress,
  field: SectionField,
): number | undefined {
  return sectionValue(planeNumber(axes, address), field);
}

/** Time stamps of the first section and wave. Without a clock, all of them are 0. */
function resolveTimes(layout: Layout, scene: number, T: number, notes: Notes): ResolvedAxis {
  const at = column(layout, T, (t) => ({ scene, channel: 0, t, z: 0 }), 'time');
  return resolveAxis('T', T, { unit: 'seconds', measured: at && { at, what: 'time stamps', quantum: 0.001 } }, notes);
}

/** The section distance that was set, and the positions of the stage. */
function resolveDepths(layout: Layout, scene: number, Z: number, notes: Notes): ResolvedAxis {
  const at = column(layout, Z, (z) => ({ scene, channel: 0, t: 0, z }), 'z');
  const nominal = [{ step: lengthOf(layout.raw, 2), what: 'the header' }];
  const measured = at && { at, what: 'stage positions', quantum: 0.001 };
  return resolveAxis('Z', Z, { unit: 'micrometer', nominal, measured }, notes);
}

/** Returns a value for each index of an axis; `undefined` where all are missing or equal. */
function column(
  layout: Layout,
  size: number,
  addressOf: (index: number) => PlaneAddress,
  field: SectionField,
): Float64Array | undefined {
  if (size < 2 || size > LIMITS.coordinates) return undefined;
  const values = Float64Array.from({ length: size }, (_, i) => valueAt(layout, addressOf(i), field) ?? Number.NaN);
  return values.some((value) => value !== values[0] && Number.isFinite(value)) ? values : undefined;
}

function lengthStep(raw: RawDeltaVision, axis: 0 | 1): Step {
  return makeStep(lengthOf(raw, axis), 'micrometer') ?? defaultStep();
}

/** Returns the micrometers between neighbors: the header has them, or those of the whole volume and its samples. */
function lengthOf({ cell, intervals }: RawDeltaVision, axis: 0 | 1 | 2): number {
  return withoutNoise(shortestDecimal(cell[axis]) / Math.max(1, intervals[axis]));
}

function startOf({ seconds = Number.NaN }: RawDeltaVision): { start?: string } {
  if (!(seconds > CLOCK.from && seconds < CLOCK.to)) return {};
  return { start: new Date(1000 * seconds).toISOString() };
}
