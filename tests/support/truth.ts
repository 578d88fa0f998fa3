/**
 * "No invented pixels", as a rule that a test can check. The planes of a whole file are the truth. Every plane that a
 * damaged copy of it serves must be one of these:
 *
 * - `same`: the true plane of its own address: scene, channel by its name, T, Z;
 * - `hit`: that plane but for samples that the damage itself explains, because it fell on their bytes: not more bytes
 *   differ than were changed, and each has a value that a changed byte has. Where samples are stored as they are and
 *   without a checksum, nobody can know better;
 * - `short`: its first rows (or none of them), then nothing or fill, and a new warning;
 * - `moved`: a true plane of another address, whole or short, and new warnings that name each axis which differs.
 *
 * Anything else is invented: a fault. When planes are missing (fewer scenes, channels, T or Z), a new warning is needed
 * too. A warning is new when the whole file has none like it; numbers in it make no difference. Reference images are
 * planes like all others.
 *
 * A name that no channel of the whole file has (its description is lost) cannot be taken for that of another one. Such
 * a channel is known by its position.
 */
import type { Acquisition, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget, type PlaneTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray, SampleType } from '../../packages/readers/src/model/samples/types.js';
import { CoveringTarget } from './covering-target.js';
import { expectHonest } from './honest.js';

interface Address {
  kind: 'plane' | 'reference';
  scene: number;
  channel: number;
  t: number;
  z: number;
}

export interface TruePlane extends Address {
  sceneName: string;
  channelName: string;
  sampleType: SampleType;
  rows: number;
  columns: number;
  data: SampleArray;
}

export interface Truth {
  planes: readonly TruePlane[];
  warnings: ReadonlySet<string>;
}

export interface Verdicts {
  same: number;
  hit: number;
  short: number;
  moved: number;
  /** Planes whose reading is refused. */
  refused: number;
  /** What breaks the rule. */
  faults: string[];
}

export interface JudgeOptions {
  /** What a reader puts where there is no data: 0, or what the format documents. */
  fill?: number;
  /**
   * Planes are put together from pieces, any of which may be missing, not only those of the last rows. Without the
   * outer ones a plane is smaller.
   */
  pieces?: boolean;
  /** Values of the bytes that were changed; none for a file that is cut off. */
  changed?: readonly number[];
  /** Planes that are read; a damaged count may announce a million. */
  maxPlanes?: number;
}

const MAX_PIXELS = 2 ** 22;

/** All planes and reference images of a file that is whole. */
export async function truthOf(acquisition: Acquisition): Promise<Truth> {
  const planes: TruePlane[] = [];
  for (const address of addressesOf(acquisition)) planes.push(await readAt(acquisition, address));
  return {
    planes,
    warnings: new Set(acquisition.info.scenes.flatMap(({ warnings }) => warnings.map(withoutNumbers))),
  };
}

/** Reads the planes of a damaged copy and holds them against the truth. Throws what is not an error of the table. */
export async function judge(acquisition: Acquisition, truth: Truth, options: JudgeOptions = {}): Promise<Verdicts> {
  const verdicts: Verdicts = { same: 0, hit: 0, short: 0, moved: 0, refused: 0, faults: [] };
  const changed = [...(options.changed ?? [])];
  let left = options.maxPlanes ?? Number.POSITIVE_INFINITY;
  for (const address of addressesOf(acquisition)) {
    if (left-- <= 0) break;
    try {
      const plane = await readAt(acquisition, address);
      const verdict = judgePlane(plane, truth, newWarnings(acquisition, address.scene, truth), changed, options);
      if (typeof verdict === 'string') verdicts[verdict]++;
      else verdicts.faults.push(verdict.fault);
    } catch (error) {
      expectHonest(error);
      verdicts.refused++;
    }
  }
  const served = verdicts.same + verdicts.hit + verdicts.short + verdicts.moved;
  if (served > 0) verdicts.faults.push(...missingInSilence(acquisition, truth));
  return verdicts;
}

/** Missing scenes must be told by any of those that are left, missing planes by their own scene. */
function missingInSilence(acquisition: Acquisition, truth: Truth): string[] {
  const { scenes } = acquisition.info;
  const silent = scenes.map((_, scene) => newWarnings(acquisition, scene, truth).length === 0);
  const faults: string[] = [];
  const total = new Set(truth.planes.map(({ scene }) => scene)).size;
  if (scenes.length < total && !silent.includes(false)) {
    faults.push(`${scenes.length} of ${total} scenes are left, and no warning says so`);
  }
  for (const [index, info] of scenes.entries()) {
    const expected = truth.planes.filter((plane) => isSceneOf(plane, index, info.name, truth)).length;
    const actual = planeCount(info);
    if (actual < expected && silent[index]) {
      faults.push(`scene ${index} "${info.name}" has ${actual} of ${expected} planes, and no warning says so`);
    }
  }
  return faults;
}

function planeCount({ channels, sizes, reference }: SceneInfo): number {
  return channels.length * sizes.T * sizes.Z + (reference?.channels.length ?? 0);
}

/** Warnings of a scene that the whole file does not have. */
function newWarnings(acquisition: Acquisition, scene: number, truth: Truth): string[] {
  const all = acquisition.info.scenes[scene]?.warnings ?? [];
  return all.filter((text) => !truth.warnings.has(withoutNumbers(text)));
}

function withoutNumbers(warning: string): string {
  return warning.replace(/\d[\d.,]*/g, '#');
}

/** `changed` loses the bytes that explain a difference: each explains one. */
function judgePlane(
  plane: TruePlane,
  truth: Truth,
  warnings: readonly string[],
  changed: number[],
  options: JudgeOptions,
): 'same' | 'hit' | 'short' | 'moved' | { fault: string } {
  const own = truth.planes.find((other) => axesBetween(plane, other, truth).length === 0);
  if (own && compare(plane, own, options) === 'same') return 'same';
  const likeness = own && compare(withoutHits(plane, own, changed), own, options);
  if (likeness === 'same') return 'hit';
  if (likeness === 'short') {
    return warnings.length > 0 ? 'short' : { fault: `${describe(plane)} is short, and no warning says so` };
  }
  // An address that the whole file does not have, and nothing there.
  if (!own && isFill(plane.data, options.fill ?? 0)) {
    return warnings.length > 0 ? 'short' : { fault: `${describe(plane)} is empty, and no warning says so` };
  }
  const other = findElsewhere(plane, truth, options);
  if (!other) return { fault: `${describe(plane)} is invented; new warnings: ${JSON.stringify(warnings)}` };
  const silent = axesBetween(plane, other, truth).filter(
    (axis) => !warnings.some((text) => AXIS_NAMES[axis].test(text)),
  );
  if (silent.length === 0) return 'moved';
  const unnamed = `no new warning names ${silent.join(', ')}: ${JSON.stringify(warnings)}`;
  return { fault: `${describe(plane)} is ${describe(other)}, and ${unnamed}` };
}

type Axis = 'scene' | 'channel' | 'T' | 'Z' | 'kind';

const AXIS_NAMES: Record<Axis, RegExp> = {
  scene: /\b(scenes?|series|positions?|images?)\b/i,
  channel: /\b(channels?|colou?rs?|along C)\b/i,
  T: /\b(T|times?|time points?|frames?|cycles?|pages after (it|them))\b/i,
  Z: /\b(Z|depths?|sections?|slices?|pages after (it|them))\b/i,
  kind: /\breference\b/i,
};

/** Axes along which two addresses differ. */
function axesBetween(plane: TruePlane, other: TruePlane, truth: Truth): Axis[] {
  const axes: Axis[] = [];
  if (plane.kind !== other.kind) axes.push('kind');
  if (!isSceneOf(other, plane.scene, plane.sceneName, truth)) axes.push('scene');
  const known = truth.planes.some(({ kind, channelName }) => kind === plane.kind && channelName === plane.channelName);
  if (known ? plane.channelName !== other.channelName : plane.channel !== other.channel) axes.push('channel');
  if (plane.t !== other.t) axes.push('T');
  if (plane.z !== other.z) axes.push('Z');
  return axes;
}

/** A scene is known by its name, if the whole file has a scene of this name, else by its place. */
function isSceneOf(plane: TruePlane, scene: number, name: string, truth: Truth): boolean {
  const known = name !== '' && truth.planes.some(({ sceneName }) => sceneName === name);
  return known ? plane.sceneName === name : plane.scene === scene;
}

/** The plane of another address that this one is: that with the fewest axes between them. */
function findElsewhere(plane: TruePlane, truth: Truth, options: JudgeOptions): TruePlane | undefined {
  if (isFill(plane.data, options.fill ?? 0)) return undefined;
  const found = truth.planes.filter((other) => compare(plane, other, options) !== undefined);
  return found.sort((a, b) => axesBetween(plane, a, truth).length - axesBetween(plane, b, truth).length)[0];
}

function compare(plane: TruePlane, other: TruePlane, options: JudgeOptions): 'same' | 'short' | undefined {
  const { fill = 0, pieces = false } = options;
  if (plane.sampleType !== other.sampleType) return undefined;
  if (plane.rows === other.rows && plane.columns === other.columns) {
    if (firstDifference(plane.data, other.data) === plane.data.length) return 'same';
  }
  if (pieces) return isPartOf(plane, other, fill) ? 'short' : undefined;
  if (plane.columns !== other.columns || plane.rows > other.rows) return undefined;
  const row = Math.floor(firstDifference(plane.data, other.data) / plane.columns) * plane.columns;
  return isFill(plane.data.subarray(row), fill) ? 'short' : undefined;
}

/** A rectangle of the other plane, with fill where pieces are missing. */
function isPartOf(plane: TruePlane, other: TruePlane, fill: number): boolean {
  for (let top = 0; top + plane.rows <= other.rows; top++) {
    for (let left = 0; left + plane.columns <= other.columns; left++) {
      if (isTrueOrFillAt(plane, other, top, left, fill)) return true;
    }
  }
  return false;
}

function isTrueOrFillAt(plane: TruePlane, other: TruePlane, top: number, left: number, fill: number): boolean {
  for (let i = 0; i < plane.data.length; i++) {
    const [y, x] = [Math.floor(i / plane.columns), i % plane.columns];
    const truth = other.data[(top + y) * other.columns + left + x];
    if (plane.data[i] !== truth && Number(plane.data[i]) !== fill) return false;
  }
  return true;
}

function firstDifference(a: SampleArray, b: SampleArray): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return i;
  return a.length;
}

function isFill(samples: SampleArray, fill: number): boolean {
  for (let i = 0; i < samples.length; i++) if (Number(samples[i]) !== fill) return false;
  return true;
}

/** The plane with true bytes where changed ones explain the difference: each of those explains one. */
function withoutHits(plane: TruePlane, own: TruePlane, changed: number[]): TruePlane {
  if (changed.length === 0 || plane.columns !== own.columns || plane.sampleType !== own.sampleType) return plane;
  const data = plane.data.slice() as SampleArray;
  const [a, b] = [bytesOf(data), bytesOf(own.data)];
  for (let i = 0; i < Math.min(a.length, b.length) && changed.length > 0; i++) {
    if (a[i] === b[i]) continue;
    const at = changed.indexOf(a[i] as number);
    if (at < 0) continue;
    changed.splice(at, 1);
    a[i] = b[i] as number;
  }
  return { ...plane, data };
}

function bytesOf(samples: SampleArray): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

function describe({ kind, sceneName, scene, channelName, t, z, rows, columns, sampleType }: TruePlane): string {
  return `${kind} S${scene} "${sceneName}" C "${channelName}" T${t} Z${z} (${rows} × ${columns} ${sampleType})`;
}

function* addressesOf({ info }: Acquisition): Generator<Address> {
  for (const [scene, { channels, sizes, reference }] of info.scenes.entries()) {
    const small = sizes.Y * sizes.X <= MAX_PIXELS;
    for (let channel = 0; small && channel < channels.length; channel++) {
      for (let t = 0; t < sizes.T; t++) {
        for (let z = 0; z < sizes.Z; z++) yield { kind: 'plane', scene, channel, t, z };
      }
    }
    if (!reference || reference.sizes.Y * reference.sizes.X > MAX_PIXELS) continue;
    for (const channel of reference.channels.keys()) yield { kind: 'reference', scene, channel, t: 0, z: 0 };
  }
}

async function readAt(acquisition: Acquisition, address: Address): Promise<TruePlane> {
  const { kind, scene, channel } = address;
  const info = acquisition.info.scenes[scene];
  const image = kind === 'plane' ? info : info?.reference;
  if (!info || !image) throw new Error(`no scene ${scene}, or no reference image`);
  const { Y: rows, X: columns } = image.sizes;
  const target = new NativeTarget(image.sampleType, rows, columns);
  const cover = new CoveringTarget(rows, columns);
  const both: PlaneTarget = {
    rows,
    columns,
    put: (...piece) => {
      cover.put(...piece);
      target.put(...piece);
    },
  };
  if (kind === 'plane') await acquisition.readPlane(address, both);
  else await acquisition.readReference?.(scene, channel, both);
  if (!cover.complete) throw new Error('a plane was read without all of its samples');
  return {
    ...address,
    sceneName: info.name,
    channelName: image.channels[channel]?.name ?? '',
    sampleType: image.sampleType,
    rows,
    columns,
    data: target.data,
  };
}
