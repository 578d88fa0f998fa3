/** Which sequences and frames make up which scene. Pure. */
import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { lookUp, type RawFile, type RawFrame, type RawScan, type RawSequence } from './parse.js';

export interface ScenePlan {
  name: string;
  /** `lines`: the frames of one sequence follow each other down the rows of one plane. */
  kind: 'lines' | 'times' | 'depths';
  /** One sequence; of a Z series, one for each time. */
  sequences: [RawSequence, ...RawSequence[]];
  /** The first frame, whose values speak for the scene. */
  frame: RawFrame;
  channels: { number: number; name: string }[];
  T: number;
  Z: number;
  /** Frames of a plane from its top row down; `undefined` for one that was not recorded. */
  frames(t: number, z: number): (RawFrame | undefined)[];
  warnings: string[];
}

/** Positions of the stage closer than this are one: readings jitter. In µm. */
const SAME_POSITION = 1;
/** With more places than this nobody looks for cycles at the same one. */
const MAX_PLACES = 2_000;

/** @throws AcqError `decode_failed`, `unsupported_format` when there is no image in it */
export function arrange(name: string, scan: RawScan): ScenePlan[] {
  const withFrames = scan.sequences.filter(({ frames }) => frames.some(({ files }) => files.length > 0));
  const images = withFrames.filter(({ type }) => !/point\s*scan/i.test(type));
  if (images.length === 0) {
    const points = withFrames.length > 0;
    if (points) throw unsupported(`${name}: holds point scans only, which have no image`);
    throw decodeFailed(`${name}: names no image file; the recording was stopped at once, or the XML is damaged`);
  }
  if (images.length > LIMITS.scenes) throw decodeFailed(`${name}: has ${images.length} cycles, which cannot be`);
  const served = new Set(images);
  const left = scan.sequences.filter((sequence) => !served.has(sequence));
  const warnings = left.slice(0, 10).map(({ cycle, type }) => `Cycle ${cycle} (${type || 'no type'}) has no images.`);
  const plans = depthsInTime(scan, images) ?? images.map((sequence) => single(sequence, images.length));
  for (const plan of plans) plan.warnings.unshift(...warnings);
  for (const { channels } of plans) {
    if (channels.length > LIMITS.channels)
      throw decodeFailed(`${name}: has ${channels.length} channels, which cannot be`);
  }
  return plans;
}

function single(sequence: RawSequence, cycles: number): ScenePlan {
  const { frames } = sequence;
  const kind = isLineScan(sequence) ? 'lines' : isDepths(sequence) ? 'depths' : 'times';
  return {
    ...common([sequence]),
    name: cycles > 1 ? `Cycle ${sequence.cycle}` : '',
    kind,
    T: kind === 'times' ? frames.length : 1,
    Z: kind === 'depths' ? frames.length : 1,
    frames: (t, z) => (kind === 'lines' ? frames : [frames[kind === 'times' ? t : z]]),
  };
}

/** Z series over and over: the cycles are times, unless the stage moved between them: then each place is a scene. */
function depthsInTime(scan: RawScan, sequences: RawSequence[]): ScenePlan[] | undefined {
  if (sequences.length < 2 || !sequences.every((one) => isDepths(one) && !isLineScan(one))) return undefined;
  const places = byPosition(scan, sequences);
  if (!places?.every((cycles) => areAlike(scan, cycles))) return undefined;
  return places.map((cycles, i) => ({
    ...common(cycles),
    name: places.length > 1 ? `Position ${i + 1}` : '',
    kind: 'depths',
    T: cycles.length,
    Z: cycles.reduce((most, { frames }) => Math.max(most, frames.length), 1),
    frames: (t, z) => [cycles[t]?.frames[z]],
  }));
}

function common(sequences: [RawSequence, ...RawSequence[]]) {
  const names = new Map<number, string>();
  for (const { frames } of sequences) {
    for (const { files } of frames) {
      for (const { channel, name } of files) if (!names.get(channel)) names.set(channel, name);
    }
  }
  const channels = [...names].map(([number, name]) => ({ number, name })).sort((a, b) => a.number - b.number);
  // A frame without files cannot be the first: there is at least one with some.
  const frame = sequences[0].frames.find(({ files }) => files.length > 0) as RawFrame;
  return { sequences, channels, frame, warnings: [] };
}

function isLineScan({ type, line }: RawSequence): boolean {
  return line !== undefined || /linescan/i.test(type);
}

function isDepths({ type }: RawSequence): boolean {
  return /zseries|atlasvolume/i.test(type);
}

/** Cycles of the same shape and number of frames; the last one may have been stopped. */
function areAlike(scan: RawScan, cycles: RawSequence[]): boolean {
  const shape = (sequence: RawSequence) =>
    ['linesperframe', 'pixelsperline'].map((key) => lookUp(key, sequence.frames[0] ?? sequence, sequence, scan)).join();
  const [first] = cycles as [RawSequence];
  return cycles.every((cycle, i) => {
    const last = i === cycles.length - 1;
    const { length } = cycle.frames;
    return shape(cycle) === shape(first) && (length === first.frames.length || (last && length < first.frames.length));
  });
}

function byPosition(scan: RawScan, sequences: RawSequence[]): [RawSequence, ...RawSequence[]][] | undefined {
  const places: { at: (number | undefined)[]; cycles: [RawSequence, ...RawSequence[]] }[] = [];
  for (const sequence of sequences) {
    const at = positionOf(scan, sequence);
    const near = places.find((place) => place.at.every((value, i) => isNear(value, at[i])));
    if (!near && places.length === MAX_PLACES) return undefined;
    if (near) near.cycles.push(sequence);
    else places.push({ at, cycles: [sequence] });
  }
  return places.map(({ cycles }) => cycles);
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Math.abs(a - b) < SAME_POSITION;
}

function positionOf(scan: RawScan, sequence: RawSequence): (number | undefined)[] {
  const levels = [sequence.frames[0] ?? sequence, sequence, scan];
  return ['xaxis', 'yaxis'].map(
    (axis) => lookUp(`positioncurrent_${axis}_0`, ...levels) ?? lookUp(`positioncurrent_${axis}`, ...levels),
  );
}

/** The plane that a file belongs to, the first of several; files are told by their names without folders, in any case. */
export function planeOfFile({ kind, sequences }: ScenePlan, name: string): { t: number; z: number } | undefined {
  const wanted = name.toLowerCase();
  for (const [cycle, { frames }] of sequences.entries()) {
    const index = frames.findIndex(({ files }) => files.some(({ file }) => lastComponent(file) === wanted));
    if (index < 0) continue;
    if (kind === 'lines') return { t: 0, z: 0 };
    return kind === 'times' ? { t: index, z: 0 } : { t: cycle, z: index };
  }
  return undefined;
}

function lastComponent(said: string): string {
  return (said.split(/[\\/]/).pop() ?? said).toLowerCase();
}

/** The file of a channel in a frame. */
export function fileOf(frame: RawFrame | undefined, channel: number): RawFile | undefined {
  return frame?.files.find((file) => file.channel === channel);
}
