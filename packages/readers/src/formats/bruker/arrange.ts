/** Groups sequences and frames into scenes. Pure. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import { nameKey } from '../../io/name-index.js';
import { orderByDepth } from '../../model/metadata/depth-order.js';
import { lookUp, type RawBrukerFile, type RawBrukerFrame, type RawScan, type RawSequence } from './parse.js';
import { type Depths, findDepths, findPosition } from './positions.js';

export interface ScenePlan {
  name: string;
  /** `lines`: the frames of one sequence follow each other down the rows of one plane. */
  kind: 'lines' | 'times' | 'depths';
  /** One sequence; for a Z series, one per time. */
  sequences: [RawSequence, ...RawSequence[]];
  /** The first frame with files, whose values apply to the scene. */
  frame: RawBrukerFrame;
  channels: { number: number; name: string }[];
  T: number;
  Z: number;
  /** Returns the frames of a plane from its top row down; `undefined` for one that was not recorded. */
  frames(t: number, z: number): (RawBrukerFrame | undefined)[];
  /** Returns the section of a frame of a cycle of a Z series. */
  sectionOf(t: number, frame: number): number;
  /** Positions of the sections, at the first time point that has all of them. Only of a Z series. */
  depths?: Depths;
  warnings: readonly string[];
}

/** Stage positions closer than this, in µm, are the same: readings jitter. */
const SAME_POSITION = 1;
/** Cycles without images that warnings name. */
const MAX_LISTED = 10;
/** Stage positions by which cycles are grouped; with more of them, each cycle is a scene. */
const MAX_POSITIONS = 2_000;

/** @throws AcqError `decode_failed`, `unsupported_format` when the recording has no image */
export function arrange(scan: RawScan): ScenePlan[] {
  const withFrames = scan.sequences.filter(({ frames }) => frames.some(({ files }) => files.length > 0));
  const images = withFrames.filter(({ type }) => !/point\s*scan/i.test(type));
  if (images.length === 0) {
    const points = withFrames.length > 0;
    if (points) throw unsupported('contains only point scans, which have no image');
    throw decodeFailed(
      'the XML does not name any image file; the recording was stopped immediately, or the XML is corrupted',
    );
  }
  if (images.length > LIMITS.scenes) {
    throw decodeFailed(`has ${grouped(images.length)} cycles; the limit is ${grouped(LIMITS.scenes)}`);
  }
  const plans =
    arrangeRepeatedDepths(scan, images) ?? images.map((sequence) => arrangeOne(scan, sequence, images.length));
  for (const { channels } of plans) {
    if (channels.length > LIMITS.channels) {
      throw decodeFailed(`has ${grouped(channels.length)} channels; the limit is ${grouped(LIMITS.channels)}`);
    }
  }
  const shown = new Set(images);
  const withoutImages = scan.sequences
    .filter((sequence) => !shown.has(sequence))
    .slice(0, MAX_LISTED)
    .map(({ cycle, type }) => `Cycle ${cycle} (${type || 'no type'}) has no images.`);
  const warnings = [...describeProblems(scan), ...withoutImages];
  return plans.map((plan) => ({ ...plan, warnings: [...warnings, ...plan.warnings] }));
}

function describeProblems({ problems: [first] }: RawScan): string[] {
  if (first === undefined) return [];
  return [
    asCorrupted(
      `The XML is corrupted or ends early (${first.split('\n')[0]!.slice(0, 200)}): scenes (cycles), times, depths or ` +
        'channels may be missing or misplaced.',
    ),
  ];
}

function arrangeOne(scan: RawScan, sequence: RawSequence, cycles: number): ScenePlan {
  const { frames } = sequence;
  const kind = isLineScan(sequence) ? 'lines' : isDepths(sequence) ? 'depths' : 'times';
  return {
    ...describe([sequence]),
    name: cycles > 1 ? `Cycle ${sequence.cycle}` : '',
    kind,
    T: kind === 'times' ? frames.length : 1,
    Z: kind === 'depths' ? frames.length : 1,
    frames: (t, z) => (kind === 'lines' ? frames : [frames[kind === 'times' ? t : z]]),
    ...(kind === 'depths' && { depths: findDepths(sequence, scan) }),
  };
}

/**
 * Arranges Z series that are repeated: the cycles are times, and each stage position is a scene. `undefined` when the
 * recording is something else.
 */
function arrangeRepeatedDepths(scan: RawScan, sequences: RawSequence[]): ScenePlan[] | undefined {
  if (sequences.length < 2 || !sequences.every((sequence) => isDepths(sequence) && !isLineScan(sequence)))
    return undefined;
  const positions = groupByPosition(scan, sequences);
  if (!positions?.every((cycles) => areAlike(scan, cycles))) return undefined;
  return positions.map((cycles, i) => ({
    ...arrangeVolumes(scan, cycles),
    name: positions.length > 1 ? `Position ${i + 1}` : '',
  }));
}

/** Arranges cycles as time points, and the frames of each by their depths: those of every second one may run back. */
function arrangeVolumes(scan: RawScan, cycles: [RawSequence, ...RawSequence[]]): ScenePlan {
  const depths = cycles.map((cycle) => findDepths(cycle, scan));
  const set = lookUp('micronsperpixel_zaxis', cycles[0].frames[0] ?? cycles[0], cycles[0], scan);
  const order = orderByDepth(
    depths.map(({ at }) => at),
    'stage positions',
    set === undefined ? undefined : Math.abs(set),
  );
  const warnings = [...order.warnings];
  const isUnknown = depths.some(
    ({ at }) => at.length > 1 && at.every((depth) => Number.isNaN(depth) || depth === at[0]),
  );
  if (isUnknown && cycles.length > 1 && cycles.some(({ isBidirectionalZ }) => isBidirectionalZ)) {
    warnings.push(
      'The Z series was scanned back and forth (bidirectionalZ), but the XML does not contain the depths of the frames: the ' +
        'sections of every second time point may be in the opposite order.',
    );
  }
  return {
    ...describe(cycles),
    name: '',
    kind: 'depths',
    T: cycles.length,
    Z: cycles.reduce((max, { frames }) => Math.max(max, frames.length), 1),
    frames: (t, z) => {
      const frame = order.planeAt(t, z);
      return [frame === undefined ? undefined : cycles[t]?.frames[frame]];
    },
    sectionOf: order.sectionOf,
    depths: depths.reduce((longest, next) => (next.at.length > longest.at.length ? next : longest)),
    warnings,
  };
}

/** Returns the channels of a scene and its first frame. */
function describe(sequences: [RawSequence, ...RawSequence[]]) {
  const names = new Map<number, string>();
  for (const { frames } of sequences) {
    for (const { files } of frames) {
      for (const { channel, name } of files) if (!names.get(channel)) names.set(channel, name);
    }
  }
  const channels = [...names].map(([number, name]) => ({ number, name })).sort((a, b) => a.number - b.number);
  // Only sequences that have a frame with files are arranged.
  const frame = sequences[0].frames.find(({ files }) => files.length > 0)!;
  return { sequences, channels, frame, sectionOf: (_: number, index: number) => index, warnings: [] };
}

function isLineScan({ type, line }: RawSequence): boolean {
  return line !== undefined || /linescan/i.test(type);
}

function isDepths({ type }: RawSequence): boolean {
  return /zseries|atlasvolume/i.test(type);
}

/** True when all cycles have the same shape and number of frames; the last one may have been stopped. */
function areAlike(scan: RawScan, cycles: RawSequence[]): boolean {
  const shape = (sequence: RawSequence) =>
    ['linesperframe', 'pixelsperline'].map((key) => lookUp(key, sequence.frames[0] ?? sequence, sequence, scan)).join();
  const first = cycles[0]!;
  return cycles.every((cycle, i) => {
    const last = i === cycles.length - 1;
    const { length } = cycle.frames;
    return shape(cycle) === shape(first) && (length === first.frames.length || (last && length < first.frames.length));
  });
}

/** Groups cycles by stage position; `undefined` when there are too many positions. */
function groupByPosition(scan: RawScan, sequences: RawSequence[]): [RawSequence, ...RawSequence[]][] | undefined {
  const positions: { at: number[]; cycles: [RawSequence, ...RawSequence[]] }[] = [];
  for (const sequence of sequences) {
    const at = (['x', 'y'] as const).map((axis) => findPosition(axis, sequence.frames[0], sequence, scan).at);
    const near = positions.find((position) => position.at.every((value, i) => isNear(value, at[i]!)));
    if (!near && positions.length === MAX_POSITIONS) return undefined;
    if (near) near.cycles.push(sequence);
    else positions.push({ at, cycles: [sequence] });
  }
  return positions.map(({ cycles }) => cycles);
}

function isNear(a: number, b: number): boolean {
  return Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) === Number.isNaN(b) : Math.abs(a - b) < SAME_POSITION;
}

/** Finds the first plane of a file, by its name without folders, in any case, and in NFC or NFD. */
export function planeOfFile(
  { kind, sequences, sectionOf }: ScenePlan,
  name: string,
): { t: number; z: number } | undefined {
  const key = nameKey(name);
  for (const [cycle, { frames }] of sequences.entries()) {
    const index = frames.findIndex(({ files }) => files.some(({ file }) => nameKey(baseName(file)) === key));
    if (index < 0) continue;
    if (kind === 'lines') return { t: 0, z: 0 };
    return kind === 'times' ? { t: index, z: 0 } : { t: cycle, z: sectionOf(cycle, index) };
  }
  return undefined;
}

function baseName(path: string): string {
  return path.split(/[\\/]/).pop() ?? path;
}

/** Returns the file of a channel in a frame. */
export function fileOf(frame: RawBrukerFrame | undefined, channel: number): RawBrukerFile | undefined {
  return frame?.files.find((file) => file.channel === channel);
}
