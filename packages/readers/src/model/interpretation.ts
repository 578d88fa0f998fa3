/** What the caller says the planes of a file are: sections, time points or channels, where the file does not say it. */

import { invalidRequest } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { Acquisition, ChannelInfo, PlaneAddress, ReadColumns, SceneInfo } from './acquisition.js';
import { defaultStep } from './metadata/steps.js';

type PlaneAxis = 'T' | 'Z' | 'C';

/** How many planes there are along the axes, and the order from the slowest to the fastest axis. */
export interface Interpretation {
  axes?: Partial<Record<PlaneAxis, number>>;
  order?: PlaneAxis[];
}
type PlaneCounts = Record<PlaneAxis, number>;

const AXES: readonly PlaneAxis[] = ['T', 'Z', 'C'];

/** How the planes of a scene are counted before and after. */
interface Counting {
  sizes: PlaneCounts;
  /** Planes from one index of an axis to the next. */
  strides: PlaneCounts;
}

/**
 * Returns the acquisition with its planes on the axes that the caller gives them. Planes are counted in the order that the
 * reader gives them: T slowest, then Z, then C. A scene with another number of planes stays as it is, with a warning.
 * @throws AcqError `request_validation_failed` when it fits no scene
 */
export function interpretPlanes(acquisition: Acquisition, interpretation: Interpretation): Acquisition {
  const { scenes, named } = acquisition.info;
  const before = scenes.map((scene) => arrange(countsOf(scene), AXES));
  const after = before.map(({ sizes }) => fit(sizes, interpretation));
  if (after.every((one) => one === undefined)) throw noFit(before[0]!.sizes, interpretation);
  const toFile = (scene: number, place: Omit<PlaneAddress, 'scene'>): PlaneAddress => {
    const target = after[scene];
    if (!target) return { scene, ...place };
    return { scene, ...placeAt(numberOf(place, target), before[scene]!) };
  };
  const info = {
    ...acquisition.info,
    scenes: scenes.map((scene, i) => interpretScene(scene, before[i]!, after[i])),
  };
  const target = named && after[named.scene];
  if (named && target) {
    const { t, z } = placeAt(numberOf({ ...named, channel: 0 }, before[named.scene]!), target);
    info.named = { scene: named.scene, t, z };
  }
  return { ...acquisition, info, ...readersOf(acquisition, { before, after, toFile }) };
}

interface Mapping {
  before: readonly Counting[];
  after: readonly (Counting | undefined)[];
  toFile: (scene: number, place: Omit<PlaneAddress, 'scene'>) => PlaneAddress;
}

function readersOf(acquisition: Acquisition, { before, after, toFile }: Mapping): Partial<Acquisition> {
  const { readPlaneColumns, readChannels, interleaved, readsOnce } = acquisition;
  /** Channels are what they were: they can be read together. */
  const keeps = (scene: number) => after[scene] === undefined || isSame('C', before[scene]!, after[scene]);
  return {
    readPlane: ({ scene, ...place }, ...rest) => acquisition.readPlane(toFile(scene, place), ...rest),
    ...(interleaved ? { interleaved: (scene) => keeps(scene) && interleaved(scene) } : {}),
    ...(readsOnce ? { readsOnce: (scene) => keeps(scene) && readsOnce(scene) } : {}),
    ...(readChannels
      ? {
          readChannels: ({ scene, ...place }, ...rest) =>
            readChannels(toFile(scene, { ...place, channel: 0 }), ...rest),
        }
      : {}),
    ...(readPlaneColumns
      ? { readPlaneColumns: async (scene) => reorder(await readPlaneColumns(scene), before[scene]!, after[scene]) }
      : {}),
  };
}

const countsOf = ({ sizes, channels }: SceneInfo): PlaneCounts => ({ T: sizes.T, Z: sizes.Z, C: channels.length });

/** @param order slowest axis first */
function arrange(sizes: PlaneCounts, order: readonly PlaneAxis[]): Counting {
  const strides = { T: 1, Z: 1, C: 1 };
  let stride = 1;
  for (const axis of order.toReversed()) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return { sizes, strides };
}

/** Returns nothing when the scene has another number of planes. */
function fit(sizes: PlaneCounts, { axes, order = [] }: Interpretation): Counting | undefined {
  // Channels stay what they are unless the caller names them: an RGB page is one plane to whoever counts pages.
  const wanted = axes ? { T: axes.T ?? 1, Z: axes.Z ?? 1, C: axes.C ?? sizes.C } : sizes;
  if (total(wanted) !== total(sizes)) return undefined;
  return arrange(wanted, [...order, ...AXES.filter((axis) => !order.includes(axis))]);
}

const total = ({ T, Z, C }: PlaneCounts) => T * Z * C;

function numberOf({ t, z, channel }: Omit<PlaneAddress, 'scene'>, { strides }: Counting): number {
  return t * strides.T + z * strides.Z + channel * strides.C;
}

function placeAt(number: number, { sizes, strides }: Counting): Omit<PlaneAddress, 'scene'> {
  const index = (axis: PlaneAxis) => Math.floor(number / strides[axis]) % sizes[axis];
  return { t: index('T'), z: index('Z'), channel: index('C') };
}

const isSame = (axis: PlaneAxis, before: Counting, after: Counting) =>
  before.sizes[axis] === after.sizes[axis] && before.strides[axis] === after.strides[axis];

/**
 * Takes the step, the coordinates and their warnings from axes that became others: they describe the axes of the file. What
 * the reader assumed of the planes is not true any more.
 */
function interpretScene(scene: SceneInfo, before: Counting, after: Counting | undefined): SceneInfo {
  if (!after) {
    const planes = grouped(total(before.sizes));
    const warning = `\`interpret\` does not fit this scene, which has ${planes} planes. It is shown as the file has it.`;
    return { ...scene, warnings: [...scene.warnings, warning] };
  }
  const keeps = { T: isSame('T', before, after), Z: isSame('Z', before, after), C: isSame('C', before, after) };
  const { T, Z, C } = after.sizes;
  const { coordinates = {}, axisWarnings = {}, ...rest } = scene;
  const changed = (['T', 'Z'] as const).filter((axis) => !keeps[axis]);
  const answered = new Set((['planes', ...changed] as const).flatMap((about) => axisWarnings[about] ?? []));
  const isKept = ([axis]: [string, unknown]) => keeps[axis as PlaneAxis] !== false;
  const kept = Object.entries(coordinates).filter(isKept);
  const { planes: _, ...aboutAxes } = axisWarnings;
  return {
    ...rest,
    sizes: { ...scene.sizes, T, Z },
    steps: {
      ...scene.steps,
      ...(keeps.T ? {} : { T: defaultStep('Frames') }),
      ...(keeps.Z ? {} : { Z: defaultStep('Planes') }),
    },
    channels: keeps.C ? scene.channels : Array.from({ length: C }, (_, i): ChannelInfo => ({ name: `CH${i + 1}` })),
    ...(kept.length > 0 ? { coordinates: Object.fromEntries(kept) } : {}),
    axisWarnings: Object.fromEntries(Object.entries(aboutAxes).filter(isKept)),
    warnings: scene.warnings.filter((warning) => !answered.has(warning)),
  };
}

/** Puts the values of planes where the planes are now. */
function reorder(read: ReadColumns, before: Counting, after: Counting | undefined): ReadColumns {
  if (!after) return read;
  const { isFromStart, ...columns } = read;
  const row = arrange(after.sizes, AXES);
  const moved = Object.entries(columns).map(([name, values]: [string, Float64Array]) => [
    name,
    values.map((_, i) => values[numberOf(placeAt(numberOf(placeAt(i, row), after), before), before)]!),
  ]);
  return { ...Object.fromEntries(moved), ...(isFromStart && { isFromStart }) };
}

function noFit(sizes: PlaneCounts, { axes = {} }: Interpretation): Error {
  const asked = AXES.flatMap((axis) => (axes[axis] === undefined ? [] : [`${axis} ${axes[axis]}`])).join(' × ');
  const message =
    `\`interpret.axes\` is ${asked}, which does not fit the ${grouped(total(sizes))} planes of the file ` +
    `(T ${grouped(sizes.T)} × Z ${grouped(sizes.Z)} × C ${grouped(sizes.C)}). The product must be the same; without C, the channels stay.`;
  return invalidRequest(['body', 'interpret', 'axes'], message, 'does_not_fit');
}
