/** From the tags of a ZVI file to its scenes. */

import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { bgrColor, channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { NO_CLOCK, wallClockOf } from '../../model/metadata/dates.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { spreadIndices } from '../../model/metadata/intervals.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { ZviScene } from './arrange.js';
import { INDEX, type RawZvi } from './parse.js';
import { DAY_ZERO, type PlaneTags, SECONDS_PER_DAY } from './plane-tags.js';
import { numberOf, TAG, type TagList, textOf } from './tags.js';

/** Planes along an axis whose tags an open reads. The others are read when somebody asks for all values. */
const MAX_READ = 128;
/** Micrometers of a unit of lengths. */
const UNITS: Readonly<Record<number, number>> = { 72: 1e6, 76: 1, 77: 1e-3 };
const IMMERSIONS: Readonly<Record<number, string>> = { 2: 'Oil', 3: 'Water' };
const SAMPLE_NAMES = ['Red', 'Green', 'Blue', 'Alpha'];
/** A clock before 1990 or after 2100 was never set. */
const CLOCK = { from: 32_874, to: 73_051 };
/** Times are in days: this is far more than what their last bit is worth. */
const TIME_QUANTUM = 1e-4;
const DEPTH_QUANTUM = 0.001;

/** Returns the description of a scene. `notes` are about the whole file. */
export function toSceneInfo(zvi: RawZvi, scene: ZviScene, planeTags: PlaneTags): SceneInfo {
  const notes = new Notes();
  notes.addAll(zvi.notes);
  notes.addAll(scene.notes);
  const { form, T, Z, C } = scene;
  const first = planeTags.of(scene.planes[0]);
  const planes = T.length * Z.length * C.length * form.samples;
  const along = (axis: 'T' | 'Z') => resolveAlong(axis, { zvi, scene, planeTags, planes }, notes);
  const [time, depth] = [along('T'), along('Z')];
  notes.addAll(planeTags.notes);
  const acquired = [first, zvi.tags].map((tags) => numberOf(tags, TAG.acquired)).find(isClock);
  const milliseconds = acquired === undefined ? Number.NaN : Math.round((acquired + DAY_ZERO) * SECONDS_PER_DAY * 1000);
  return {
    name: scene.name,
    sampleType: form.sampleType,
    channels: toChannels(scene, planeTags),
    sizes: { T: T.length, Z: Z.length, Y: form.height, X: form.width },
    steps: {
      T: time.step,
      Z: Z.length > 1 ? depth.step : defaultStep('Planes'),
      Y: lengthStep(zvi.tags, 'Y', notes),
      X: lengthStep(zvi.tags, 'X', notes),
    },
    ...measuredAxes({ T: time, Z: depth }),
    ...instrumentOf(zvi.tags, first, planeTags.valuesAt({ channel: 0, t: 0, z: 0 }), milliseconds),
    ...(wallClockOf(milliseconds) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

function isClock(days: number | undefined): boolean {
  return days !== undefined && days > CLOCK.from && days < CLOCK.to;
}

/** Reads times or depths of the planes of the first channel, and the distance that was set. */
function resolveAlong(
  axis: 'T' | 'Z',
  { zvi, scene, planeTags, planes }: { zvi: RawZvi; scene: ZviScene; planeTags: PlaneTags; planes: number },
  notes: Notes,
): ResolvedAxis {
  const size = scene[axis].length;
  const at = new Float64Array(size).fill(Number.NaN);
  const indices = size > 1 ? spreadIndices(size, MAX_READ) : [];
  for (const index of indices) {
    const place = axis === 'T' ? { channel: 0, t: index, z: 0 } : { channel: 0, t: 0, z: index };
    at[index] = planeTags.valuesAt(place)[axis === 'T' ? 'time' : 'z'] ?? Number.NaN;
  }
  const shared = { at, isSample: indices.length < size, planes };
  if (axis === 'T') {
    const measured = { ...shared, what: 'time stamps', quantum: TIME_QUANTUM };
    return resolveAxis('T', size, { unit: 'seconds', measured }, notes);
  }
  const measured = { ...shared, what: 'focus positions', quantum: DEPTH_QUANTUM };
  return resolveAxis('Z', size, { unit: 'micrometer', nominal: nominalDepth(zvi.tags, size, notes), measured }, notes);
}

function nominalDepth(tags: TagList, size: number, notes: Notes): NominalStep[] {
  const step = size > 1 ? lengthOf(tags, 'Z', notes) : undefined;
  return step === undefined ? [] : [{ step, what: 'the scaling' }];
}

function lengthStep(tags: TagList, axis: 'X' | 'Y', notes: Notes): Step {
  return makeStep(lengthOf(tags, axis, notes) ?? Number.NaN, 'micrometer') ?? defaultStep();
}

/** Returns the micrometers between neighbors; `undefined` when the image was not calibrated, which is the unit 0. */
function lengthOf(tags: TagList, axis: 'X' | 'Y' | 'Z', notes: Notes): number | undefined {
  const scale = numberOf(tags, TAG[`scale${axis}`]);
  const unit = numberOf(tags, TAG[`unit${axis}`]) ?? 0;
  if (scale === undefined || unit === 0) return undefined;
  const factor = UNITS[unit];
  if (factor === undefined) notes.add(`${axis} step: ${scale} has the unknown unit ${grouped(unit)}; it was ignored.`);
  return factor === undefined ? undefined : scale * factor;
}

function toChannels({ form, C, planes }: ZviScene, planeTags: PlaneTags): ChannelInfo[] {
  const first = new Map(planes.toReversed().map((plane) => [plane.indices[INDEX.C], plane]));
  const ofChannel = C.map((value) => planeTags.of(first.get(value)));
  const names = ofChannel.map((tags) => textOf(tags, TAG.channelName));
  if (form.samples > 1) return colorChannels(form.samples, names);
  const named = channelsShown(
    channelsNamed(names),
    ofChannel.map((tags) => ({ color: bgrColor(numberOf(tags, TAG.color)) })),
  );
  return named.map((channel, c) => {
    const tags = ofChannel[c]!;
    return {
      ...channel,
      ...toOptics({
        excitationNm: numberOf(tags, TAG.excitation),
        emissionNm: numberOf(tags, TAG.emission),
        exposureSeconds: planeTags.exposureOf(tags),
        detector: textOf(tags, TAG.camera),
      }),
    };
  });
}

function colorChannels(samples: number, names: readonly (string | undefined)[]): ChannelInfo[] {
  const all = names.flatMap((name) =>
    SAMPLE_NAMES.slice(0, samples).map((sample) => (names.length > 1 && name ? `${name} ${sample}` : sample)),
  );
  const displays = all.map((_, i) => SAMPLE_DISPLAYS[i % samples]);
  return channelsShown(channelsNamed(all), displays);
}

function instrumentOf(
  image: TagList,
  plane: TagList,
  stage: { [axis in 'x' | 'y' | 'z']?: number | undefined },
  start: number,
) {
  const text = (id: number) => textOf(plane, id) ?? textOf(image, id);
  const number = (id: number) => numberOf(plane, id) ?? numberOf(image, id);
  return toInstrument({
    microscope: text(TAG.microscope),
    objective: {
      name: text(TAG.objective),
      magnification: number(TAG.magnification),
      numericalAperture: number(TAG.aperture),
      immersion: IMMERSIONS[number(TAG.immersion) ?? 0],
    },
    stage: { x: stage.x, y: stage.y, z: stage.z },
    // The clock of the computer: the file does not have its offset from UTC.
    start: Number.isNaN(start) ? undefined : new Date(start).toISOString().slice(0, -1),
  });
}
