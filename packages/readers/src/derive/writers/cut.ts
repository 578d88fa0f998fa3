/** The part of an acquisition that is exported. */

import { AcqError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { Acquisition, AcquisitionInfo, PlaneAddress, ReferenceInfo, SceneInfo } from '../../model/acquisition.js';
import { partOfAxes, stepOfTimes } from '../../model/metadata/axis-part.js';
import {
  axisOfTable,
  countPlanes,
  laterAxes,
  type PlaneTable,
  toPlaneTable,
  withLaterAxes,
} from '../../model/metadata/plane-table.js';
import { NativeTarget } from '../../model/samples/plane-target.js';
import { SAMPLE_ARRAYS, type SampleArray } from '../../model/samples/types.js';

/** From `start` to before `end`, counted from 0. */
export interface IndexRange {
  start: number;
  end: number;
}

/** What to export; everything that is not named. */
export interface Choice {
  scene?: number;
  time?: IndexRange;
  z?: IndexRange;
  channel?: number;
}

/** An acquisition that consists of what was chosen. */
export interface Cut {
  /** Indices of scenes, channels, T and Z start at 0. */
  info: AcquisitionInfo;
  /** Indices of the scenes in the file. */
  sceneIndices: number[];
  /** The first plane of `info.scenes[0]`, or the plane of the file that was named. */
  first: PlaneAddress;
  /** Number of planes of all scenes. */
  planeCount: number;
  /**
   * Reads what the file says of the single planes of a scene, with indices that start at 0: times count from the first plane
   * of the file. `undefined` when it says nothing, or the scene has more planes than `LIMITS.coordinates`.
   * @throws AcqError `decode_failed`
   */
  readPlanes(scene: number): Promise<PlaneTable | undefined>;
  /**
   * Reads the values of the axes of a scene that opening did not wait for, and the times of a part of its time points.
   * Returns them with the steps that follow from them.
   * @throws AcqError `decode_failed`
   */
  readAxes(scene: number): Promise<Pick<SceneInfo, 'steps' | 'coordinates'>>;
  /** Reads a plane in the file's own type. The next call uses the same memory. */
  read(address: PlaneAddress): Promise<SampleArray>;
  /** Reads a plane of the reference image of a scene that has one. */
  readReference(scene: number, channel: number): Promise<SampleArray>;
}

interface CutScene {
  index: number;
  scene: SceneInfo;
  t: IndexRange;
  z: IndexRange;
  firstChannel: number;
}

/**
 * Selects a part of an opened acquisition.
 * @throws AcqError `selection_out_of_range`, `channel_out_of_range`, `plane_too_large`, `unsupported_format` for planes that
 * cannot be decoded
 */
export function cutAcquisition(
  { acquisition }: { acquisition: Acquisition },
  choice: Choice,
  maxPlaneBytes: number,
): Cut {
  const { info } = acquisition;
  const indices = choice.scene === undefined ? info.scenes.map((_, index) => index) : [choice.scene];
  const scenes = indices.map((index) => cutScene(info.scenes[index], index, choice, info.scenes.length));
  for (const { index, scene } of scenes) {
    acquisition.checkScene?.(index);
    checkPlaneSize(scene, maxPlaneBytes);
    if (scene.reference) checkPlaneSize(scene.reference, maxPlaneBytes);
  }
  let target: { index: number; plane: NativeTarget } | undefined;
  let table: { index: number; read: Promise<PlaneTable | undefined> } | undefined;
  // Coordinates and descriptions are made of the same table, which may take long to read.
  const wholeTable = (index: number) => {
    if (table?.index !== index) table = { index, read: readTable(acquisition, index) };
    return table.read;
  };
  return {
    info: { format: info.format, scenes: scenes.map(({ scene }) => scene) },
    sceneIndices: indices,
    first: firstPlane(info, scenes),
    planeCount: scenes.reduce((sum, { scene }) => sum + countPlanes(scene), 0),
    async readPlanes(at) {
      const whole = await wholeTable(scenes[at]!.index);
      return whole && cutTable(whole, scenes[at]!);
    },
    async readAxes(at) {
      const { index, t, z } = scenes[at]!;
      const whole = info.scenes[index]!;
      const later = laterAxes(whole);
      const isPart = t.end - t.start < whole.sizes.T && t.end - t.start > 1 && !whole.coordinates?.T;
      const read = later.length > 0 || isPart ? await wholeTable(index) : undefined;
      const axes = partOfAxes(read ? withLaterAxes(whole, later, read) : whole, { T: t, Z: z });
      if (!read?.time || !isPart) return axes;
      const times = axisOfTable(read, whole, 'T').subarray(t.start, t.end);
      return { ...axes, steps: { ...axes.steps, T: stepOfTimes(axes.steps.T, times) } };
    },
    async read({ scene: at, channel, t, z }) {
      const { index, scene, firstChannel, ...first } = scenes[at]!;
      const { Y, X } = scene.sizes;
      if (target?.index !== index) target = { index, plane: new NativeTarget(scene.sampleType, Y, X) };
      // Readers leave out what the file does not contain.
      else zero(target.plane.data);
      const address = { scene: index, channel: channel + firstChannel, t: t + first.t.start, z: z + first.z.start };
      await acquisition.readPlane(address, target.plane);
      return target.plane.data;
    },
    async readReference(at, channel) {
      const { index, scene } = scenes[at]!;
      const { sampleType, sizes } = scene.reference!;
      const plane = new NativeTarget(sampleType, sizes.Y, sizes.X);
      await acquisition.readReference?.(index, channel, plane);
      return plane.data;
    },
  };
}

async function readTable(acquisition: Acquisition, index: number): Promise<PlaneTable | undefined> {
  const scene = acquisition.info.scenes[index]!;
  const count = countPlanes(scene);
  if (count > LIMITS.coordinates) return undefined;
  return toPlaneTable(scene, (await acquisition.readPlaneColumns?.(index)) ?? {}, { from: 0, count });
}

/** Yields the planes of a scene in the order in which they are stored: T, C, Z, slowest first. */
export function* planesOf(cut: Cut, scene: number): Generator<PlaneAddress> {
  const { sizes, channels } = cut.info.scenes[scene]!;
  for (let t = 0; t < sizes.T; t++) {
    for (let channel = 0; channel < channels.length; channel++) {
      for (let z = 0; z < sizes.Z; z++) yield { scene, channel, t, z };
    }
  }
}

function zero(samples: SampleArray): void {
  if (samples instanceof BigUint64Array || samples instanceof BigInt64Array) samples.fill(0n);
  else samples.fill(0);
}

/** Returns the rows of the planes that were chosen; `undefined` when the file says nothing of them. */
function cutTable(table: PlaneTable, { scene, t, z, firstChannel }: CutScene): PlaneTable | undefined {
  const { sizes, channels } = scene;
  const inside = (value: number, first: number, size: number) => value >= first && value < first + size;
  const keep: number[] = [];
  for (let row = 0; row < table.T.length; row++) {
    if (!inside(table.T[row]!, t.start, sizes.T) || !inside(table.Z[row]!, z.start, sizes.Z)) continue;
    if (inside(table.C[row]!, firstChannel, channels.length)) keep.push(row);
  }
  const pick = (column: Float64Array, first = 0) => Float64Array.from(keep, (row) => column[row]! - first);
  const { T, Z, C, first, ...measured } = table;
  const columns = Object.entries(measured).flatMap(([name, column]: [string, Float64Array]) => {
    const part = pick(column);
    return part.some(Number.isFinite) ? [[name, part]] : [];
  });
  if (columns.length === 0) return undefined;
  const indices = { T: pick(T, t.start), Z: pick(Z, z.start), C: pick(C, firstChannel) };
  return { ...indices, ...Object.fromEntries(columns), ...(first !== undefined && { first }) };
}

/** The plane of the file that was named is the default of formats that hold one plane. */
function firstPlane({ named }: AcquisitionInfo, scenes: readonly CutScene[]): PlaneAddress {
  const at = scenes.findIndex(({ index }) => index === (named?.scene ?? 0));
  const cut = scenes[at];
  if (!cut || !named) return { scene: 0, channel: 0, t: 0, z: 0 };
  const inside = (index: number, size: number) => (index >= 0 && index < size ? index : 0);
  return {
    scene: at,
    channel: 0,
    t: inside(named.t - cut.t.start, cut.scene.sizes.T),
    z: inside(named.z - cut.z.start, cut.scene.sizes.Z),
  };
}

function cutScene(scene: SceneInfo | undefined, index: number, choice: Choice, count: number): CutScene {
  if (!scene) throw outOfRange(`--scene is ${grouped(index)}, but the file has ${plural(count, 'scene')}`, count);
  const { sizes, channels } = scene;
  const t = cutRange(choice.time, sizes.T, '--time', 'time point');
  const z = cutRange(choice.z, sizes.Z, '--z', 'section');
  const { channel } = choice;
  if (channel !== undefined && channel >= channels.length) {
    const text = `--channel is ${grouped(channel)}, but the file has ${plural(channels.length, 'channel')}`;
    throw new AcqError('channel_out_of_range', withRange(text, channels.length));
  }
  return {
    index,
    scene: {
      ...scene,
      ...partOfAxes(scene, { T: t, Z: z }),
      channels: channel === undefined ? channels : [channels[channel]!],
      sizes: { ...sizes, T: t.end - t.start, Z: z.end - z.start },
    },
    t,
    z,
    firstChannel: channel ?? 0,
  };
}

function cutRange(range: IndexRange | undefined, size: number, flag: string, noun: string): IndexRange {
  if (!range) return { start: 0, end: size };
  if (range.end <= size) return range;
  const asked = range.end - range.start === 1 ? grouped(range.start) : `${range.start}:${range.end}`;
  throw outOfRange(`${flag} is ${asked}, but the file has ${plural(size, noun)}`, size);
}

function outOfRange(text: string, size: number): AcqError {
  return new AcqError('selection_out_of_range', withRange(text, size));
}

function withRange(text: string, size: number): string {
  return `${text} ${size === 1 ? '(index 0)' : `(0 to ${grouped(size - 1)})`}`;
}

function checkPlaneSize(
  { sizes: { Y, X }, sampleType }: Pick<ReferenceInfo, 'sizes' | 'sampleType'>,
  limit: number,
): void {
  const bytes = Y * X * SAMPLE_ARRAYS[sampleType].BYTES_PER_ELEMENT;
  if (bytes <= limit) return;
  throw new AcqError(
    'plane_too_large',
    `one plane of ${grouped(Y)} × ${grouped(X)} pixels takes ${grouped(bytes)} bytes; ` +
      `the limit is ${grouped(limit)} (--max-plane-bytes).`,
  );
}
