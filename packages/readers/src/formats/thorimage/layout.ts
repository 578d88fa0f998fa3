/** Which samples of a raw file are which plane. Pure. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import type { ThorSettings } from './parse.js';

const SAMPLE_BYTES = 2;
const DETECTORS = ['A', 'B', 'C', 'D'] as const;
const STREAMING = 1;
/** Kinds of scans (`LSM@areaMode`) whose rows are lines in time: kymograph, line, polyline. */
const LINE_MODES = new Set([2, 3, 4]);

/**
 * `frames`: rows are along y. `lines`: rows are times, and the frames follow each other down one plane. `lineFrames`: rows are
 * times within a frame that was averaged. `depths`: rows are depths.
 */
export type RowKind = 'frames' | 'lines' | 'lineFrames' | 'depths';

/** What all raw files of a recording have in common. */
export interface FrameShape {
  columns: number;
  /** Rows of a frame, as stored. */
  rows: number;
  rowKind: RowKind;
  /** Frames of a volume, and those after them while the objective returns. */
  Z: number;
  flyback: number;
  channels: { name: string; position: number }[];
}

export interface RawLayout extends FrameShape {
  /** Channels that are stored, shown or not. */
  stored: number;
  /** Complete volumes; frames of a recording without depth. */
  times: number;
}

/** True when the streaming settings apply; a version that does not say the mode has no other. */
export function isStreaming({ mode = STREAMING }: ThorSettings): boolean {
  return mode === STREAMING;
}

/** True when the objective moved while frames were taken. */
function isFastZ(settings: ThorSettings): boolean {
  return isStreaming(settings) && settings.streaming.zFastEnable === 1 && (settings.zStage.steps ?? 1) > 1;
}

export function isAveraged({ lsm, streaming }: ThorSettings): boolean {
  return lsm.averageMode === 1 && (lsm.averageNum ?? 1) > 1 && streaming.zFastEnable !== 1;
}

/** Returns what the rows of the frames are, whatever files they are stored in. */
export function rowKindOf(settings: ThorSettings, isRaw: boolean): RowKind {
  if (settings.isCamera || !LINE_MODES.has(settings.lsm.areaMode ?? 0)) return 'frames';
  if (isFastZ(settings)) return 'depths';
  return isRaw && isStreaming(settings) && !isAveraged(settings) ? 'lines' : 'lineFrames';
}

/** @throws AcqError `decode_failed` when the settings lack what the layout of the samples depends on */
export function toFrameShape(settings: ThorSettings): FrameShape {
  if (settings.problem !== undefined) throw decodeFailed(`${describeProblem(settings.problem)} Copy it again.`);
  const { lsm, camera, isCamera } = settings;
  const rowKind = rowKindOf(settings, true);
  const planes = lsm.ThreePhotonEnable === 1 ? (lsm.NumberOfPlanes ?? 1) : 1;
  const columns = isCamera ? extent(camera.left, camera.right) : lsm.pixelX;
  const rows = isCamera ? extent(camera.top, camera.bottom) : (lsm.pixelY ?? 0) * planes;
  const isVolume = isFastZ(settings) && rowKind === 'frames';
  return {
    columns: checkSize(columns, 1, isCamera ? 'the columns of the camera' : 'LSM@pixelX'),
    rows: checkSize(rows, 1, isCamera ? 'the rows of the camera' : 'LSM@pixelY'),
    rowKind,
    Z: isVolume ? checkSize(settings.zStage.steps, 1, 'ZStage@steps') : 1,
    flyback: isVolume ? checkSize(settings.streaming.flybackFrames ?? 0, 0, 'Streaming@flybackFrames') : 0,
    channels: enabledChannels(settings),
  };
}

export function describeProblem(problem: string): string {
  return `The XML is corrupted or ends early (${problem.split('\n')[0]!.slice(0, 200)}): settings may be missing.`;
}

function extent(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.abs(to - from);
}

function checkSize(value: number | undefined, least: number, what: string): number {
  if (value !== undefined && Number.isInteger(value) && value >= least && value <= LIMITS.planeSide) return value;
  throw decodeFailed(`${what} is ${value ?? 'missing'}; expected a whole number from ${least}.`);
}

/** The mask of detectors counts: a list of wavelengths may have more of them. */
function enabledChannels({ channels, enabled, isCamera }: ThorSettings): FrameShape['channels'] {
  const positions = [0, 1, 2, 3].filter((bit) => ((enabled ?? 0) >> bit) & 1);
  if (isCamera || positions.length === 0) {
    if (channels.length === 0 || channels.length > LIMITS.channels)
      throw decodeFailed('the XML does not say which channels are stored.');
    return channels.map(({ name }, position) => ({ name, position }));
  }
  return positions.map((position, i) => ({
    name: (channels.length === positions.length && channels[i]?.name) || `Chan${DETECTORS[position]}`,
    position,
  }));
}

/**
 * Returns the layout of a raw file.
 * @throws AcqError `decode_failed` when it has no complete frame, or no complete volume
 */
export function toRawLayout(settings: ThorSettings, shape: FrameShape, fileBytes: number, notes: Notes): RawLayout {
  const frameBytes = frameBytesOf(shape);
  const stored = storedChannels(settings, shape, fileBytes, notes);
  const sets = Math.floor(fileBytes / (frameBytes * stored));
  const perTime = shape.Z + shape.flyback;
  const times = Math.floor(sets / perTime);
  if (times < 1) {
    throw decodeFailed(
      `the file has ${plural(fileBytes, 'byte')}, but the first ${perTime > 1 ? 'volume' : 'frame'} of ` +
        `${plural(stored, 'channel')} needs ${grouped(frameBytes * stored * perTime)}.`,
    );
  }
  if (times > LIMITS.planes)
    throw decodeFailed(`the file has ${grouped(times)} frames; the limit is ${grouped(LIMITS.planes)}.`);
  const rest = fileBytes - times * perTime * frameBytes * stored;
  if (rest > 0) {
    notes.add(
      asIncomplete(
        `The last ${perTime > 1 ? 'volume' : 'frame'} is incomplete (${grouped(rest)} of ` +
          `${grouped(frameBytes * stored * perTime)} bytes) and was skipped.`,
      ),
    );
  }
  const channels =
    stored > shape.channels.length ? shape.channels : shape.channels.map(({ name }, position) => ({ name, position }));
  describePlan(settings, sets, notes);
  return { ...shape, channels, stored, times };
}

function frameBytesOf({ columns, rows }: FrameShape): number {
  return columns * rows * SAMPLE_BYTES;
}

/** A file has the enabled channels, or all four. One channel is always alone. Where the settings do not say which, sizes do. */
function storedChannels(
  { onlyEnabled, isCamera, streaming }: ThorSettings,
  shape: FrameShape,
  fileBytes: number,
  notes: Notes,
): number {
  const [shown, all] = [shape.channels.length, DETECTORS.length];
  if (shown === 1 || shown === all || isCamera) return shown;
  if (onlyEnabled === 0) return all;
  const frameBytes = frameBytesOf(shape);
  const isPlanned = fileBytes === (streaming.frames ?? 0) * frameBytes * all;
  const onlyFits = fileBytes % (frameBytes * shown) !== 0 && fileBytes % (frameBytes * all) === 0;
  if (!isPlanned && !(onlyFits && onlyEnabled === undefined)) return shown;
  notes.add(
    asInconsistent(
      `The size of the file is that of ${all} channels, not of the ${shown} enabled ones. The others were skipped.`,
    ),
  );
  return all;
}

function describePlan(settings: ThorSettings, sets: number, notes: Notes): void {
  const { frames = 0 } = settings.streaming;
  if (!isStreaming(settings) || frames <= sets || isAveraged(settings)) return;
  const stopped = /stopped/i.test(settings.status) ? ' The recording was stopped early.' : '';
  notes.add(
    asIncomplete(
      `ThorImage planned ${plural(frames, 'frame')}, but the file has ${grouped(sets)}. Showing these.${stopped}`,
    ),
  );
}

/** Byte of a frame. */
export function frameOffset(layout: RawLayout, { t, z, channel }: Omit<PlaneAddress, 'scene'>): number {
  const { Z, flyback, stored, channels } = layout;
  const frame = t * (Z + flyback) + z;
  return (frame * stored + channels[channel]!.position) * frameBytesOf(layout);
}

/** Rows of a plane. */
export function planeRows({ rowKind, rows, times }: RawLayout): number {
  return rowKind === 'lines' ? rows * times : rows;
}

/** Time points that are planes. */
export function planeTimes({ rowKind, times }: RawLayout): number {
  return rowKind === 'lines' ? 1 : times;
}
