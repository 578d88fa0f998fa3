/** The frames that the file contains: where they are, how many rows they have, and when they were taken. */

import { decodeFailed } from '../../base/errors.js';
import { asCorrupted, asInconsistent } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readChunk } from './chunk.js';
import { countRows, type FrameForm, frameBytes, frameForm, TIME_BYTES } from './frame.js';
import { FrameReader } from './frame-reader.js';
import type { ChunkIndex } from './index-map.js';
import { AXIS, type RawAttributes, type RawPicture } from './parse.js';

type FrameOffsets = ReadonlyMap<number, number>;

export interface RecordedFrames {
  form: FrameForm;
  /** Chunk offsets by frame number, without a truncated frame. */
  offsets: FrameOffsets;
  reader: FrameReader;
  /** Returns the ms at which a frame was taken; `undefined` when the file does not contain it. */
  timeOf: (frame: number) => number | undefined;
  warnings: readonly string[];
}

/**
 * A file that ends early ends inside its last frame, which is skipped; a single uncompressed frame keeps its complete
 * rows.
 * @throws AcqError `decode_failed` when there is no frame to show
 */
export function openFrames(
  source: ByteSource,
  index: ChunkIndex,
  raw: RawAttributes,
  picture: RawPicture | undefined,
): RecordedFrames {
  const planned = frameForm(raw);
  if (index.frames.size === 0) {
    throw decodeFailed('the file does not contain any frames; the recording was stopped before the first one');
  }
  const warnings: string[] = [];
  const truncated = findTruncated(source, index.frames, planned);
  const offsets = truncated ? withoutFrame(index.frames, truncated.frame) : index.frames;
  if (offsets.size === 0) throw decodeFailed('the file is truncated inside its only frame, which is compressed');
  if (truncated) warnings.push(truncated.warning);
  const height = planned.deflated ? planned.height : countRecordedRows(source, offsets, planned, picture);
  if (height !== planned.height) {
    const what = picture?.yAxis === AXIS.time ? 'lines' : 'rows';
    warnings.push(
      asInconsistent(
        `The header says ${grouped(planned.height)} ${what}, but the frames have ${grouped(height)}. Showing ${grouped(height)}.`,
      ),
    );
  }
  const form = { ...planned, height };
  const reader = new FrameReader(source, offsets, form);
  return { form, offsets, reader, timeOf: frameTimes(source, index, offsets, reader), warnings };
}

/** Finds the last frame of the file when the file ends inside it and it has to be skipped. */
function findTruncated(
  source: ByteSource,
  offsets: FrameOffsets,
  form: FrameForm,
): { frame: number; warning: string } | undefined {
  let last: [number, number] | undefined;
  for (const entry of offsets) if (!last || entry[1] > last[1]) last = entry;
  const chunk = last && readChunk(source, last[1]);
  if (!last || !chunk || chunk.payload + chunk.length <= source.size) return undefined;
  if (offsets.size === 1 && !form.deflated) return undefined;
  const available = Math.max(0, source.size - chunk.payload - TIME_BYTES);
  const warning = asCorrupted(
    `The file is truncated inside frame ${last[0]}, of which ${grouped(available)} of ` +
      `${grouped(chunk.length - TIME_BYTES)} bytes are available. The frame was skipped.`,
  );
  return { frame: last[0], warning };
}

function withoutFrame(offsets: FrameOffsets, frame: number): FrameOffsets {
  const others = new Map(offsets);
  others.delete(frame);
  return others;
}

/**
 * Returns the rows of the header, unless the frames have fewer bytes than these need. A line scan that ran longer than
 * the header says has more rows.
 */
function countRecordedRows(
  source: ByteSource,
  offsets: FrameOffsets,
  form: FrameForm,
  picture: RawPicture | undefined,
): number {
  const available = pixelBytes(source, offsets);
  const rows = countRows(form, available);
  if (rows === form.height || available < 0) return form.height;
  const exact = available === rows * form.stride || available === frameBytes(form, rows);
  if (rows > form.height && !(picture?.yAxis === AXIS.time && exact)) return form.height;
  if (rows === 0) throw decodeFailed('the file is truncated before the end of the first row of its first frame');
  return rows;
}

/** Frames that are examined: more than one, because the first may be corrupted. */
const EXAMINED_FRAMES = 3;

/** Returns the bytes of pixels that a frame has; negative when no frame can be read. */
function pixelBytes(source: ByteSource, offsets: FrameOffsets): number {
  let bytes = -1;
  for (const offset of firstValues(offsets, EXAMINED_FRAMES)) {
    const chunk = readChunk(source, offset);
    if (chunk) bytes = Math.max(bytes, Math.min(chunk.length, source.size - chunk.payload) - TIME_BYTES);
  }
  return bytes;
}

function firstValues(map: FrameOffsets, count: number): number[] {
  const values: number[] = [];
  for (const value of map.values()) {
    if (values.length === count) break;
    values.push(value);
  }
  return values;
}

/** Times come from the table of all times as far as it goes, otherwise from the frames themselves. */
function frameTimes(
  source: ByteSource,
  index: ChunkIndex,
  offsets: FrameOffsets,
  reader: FrameReader,
): RecordedFrames['timeOf'] {
  let table: Float64Array | undefined;
  return (frame) => {
    table ??= readTimes(source, index, offsets);
    const time = table[frame] ?? reader.timeOf(frame);
    return time !== undefined && Number.isFinite(time) && time >= 0 ? time : undefined;
  };
}

function readTimes(source: ByteSource, index: ChunkIndex, offsets: FrameOffsets): Float64Array {
  const offset = index.named.get('CustomData|AcqTimesCache!');
  const chunk = offset === undefined ? undefined : readChunk(source, offset);
  if (!chunk?.name.startsWith('CustomData|AcqTimesCache')) return new Float64Array();
  // The table may be longer than the list of frames.
  const frames = [...offsets.keys()].reduce((a, b) => Math.max(a, b), 0) + 1;
  const count = Math.floor(Math.min(chunk.length, source.size - chunk.payload, frames * 8) / 8);
  const times = new Float64Array(count);
  source.readInto(new Uint8Array(times.buffer), chunk.payload);
  return times;
}
