/** The frames that are really there: their true number of rows, and when they were taken. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readChunk } from './chunk.js';
import { type FrameForm, frameBytes, frameForm, rowsIn, TIME_BYTES } from './frame.js';
import type { ChunkIndex } from './index-map.js';
import { AXIS, type RawAttributes, type RawPicture } from './parse.js';
import { FrameReader } from './planes.js';

export interface FrameStore {
  form: FrameForm;
  reader: FrameReader;
  /** ms at which a frame was taken; `undefined` when the file does not say. */
  timeOf: (frame: number) => number | undefined;
}

/** Takes frames out of `index` that were cut off. @throws AcqError `decode_failed` when none is left */
export function openFrames(
  name: string,
  source: ByteSource,
  index: ChunkIndex,
  raw: RawAttributes,
  picture: RawPicture | undefined,
  warnings: string[],
): FrameStore {
  const form = frameForm(name, raw);
  if (index.frames.size === 0)
    throw decodeFailed(`${name}: holds no frames; the recording was stopped before the first`);
  dropCutFrame(name, source, index, form, warnings);
  if (!form.deflated) form.height = trueRows(name, source, index, form, picture, warnings);
  const reader = new FrameReader(source, index.frames, form);
  return { form, reader, timeOf: timesOf(source, index, reader) };
}

/** A file that ends early ends inside its last frame. Others are served without it, a single one as far as it goes. */
function dropCutFrame(name: string, source: ByteSource, index: ChunkIndex, form: FrameForm, warnings: string[]): void {
  let last: [number, number] | undefined;
  for (const entry of index.frames) if (!last || entry[1] > last[1]) last = entry;
  const chunk = last && readChunk(source, last[1]);
  if (!last || !chunk || chunk.payload + chunk.length <= source.size) return;
  const there = Math.max(0, source.size - chunk.payload - TIME_BYTES);
  if (index.frames.size === 1 && !form.deflated) return;
  index.frames.delete(last[0]);
  if (index.frames.size === 0) throw decodeFailed(`${name}: ends inside its only frame, which is compressed`);
  warnings.push(
    `The file ends inside frame ${last[0]}: ${there} of ${chunk.length - TIME_BYTES} bytes are there; it is left out.`,
  );
}

/**
 * Rows that the frames hold: those of the header when the bytes have room for them. A line scan that goes on longer than
 * the header says shows all of its lines.
 */
function trueRows(
  name: string,
  source: ByteSource,
  index: ChunkIndex,
  form: FrameForm,
  picture: RawPicture | undefined,
  warnings: string[],
): number {
  const there = pixelBytes(source, index);
  const rows = rowsIn(form, there);
  if (rows === form.height || there < 0) return form.height;
  const timed = picture?.yAxis === AXIS.time;
  const exact = there === rows * form.stride || there === frameBytes(form, rows);
  if (rows > form.height && !(timed && exact)) return form.height;
  if (rows === 0) throw decodeFailed(`${name}: ends before the first row of its first frame`);
  const what = timed ? 'lines' : 'rows';
  warnings.push(`The header announces ${form.height} ${what}, the file holds ${rows}; these are shown.`);
  return rows;
}

/** Frames that are looked at: a single damaged one does not speak for all. */
const LOOKED_AT = 3;

/** Bytes of pixels that a frame has. */
function pixelBytes(source: ByteSource, index: ChunkIndex): number {
  let most = -1;
  for (const offset of [...index.frames.values()].slice(0, LOOKED_AT)) {
    const chunk = readChunk(source, offset);
    if (chunk) most = Math.max(most, Math.min(chunk.length, source.size - chunk.payload) - TIME_BYTES);
  }
  return most;
}

/** From the table of all times, as far as it goes; else from the frames themselves. */
function timesOf(source: ByteSource, index: ChunkIndex, reader: FrameReader): FrameStore['timeOf'] {
  let table: Float64Array | undefined;
  return (frame) => {
    table ??= readTimes(source, index);
    const time = table[frame] ?? reader.timeOf(frame);
    return time !== undefined && Number.isFinite(time) && time >= 0 ? time : undefined;
  };
}

function readTimes(source: ByteSource, index: ChunkIndex): Float64Array {
  const offset = index.named.get('CustomData|AcqTimesCache!');
  const chunk = offset === undefined ? undefined : readChunk(source, offset);
  if (!chunk?.name.startsWith('CustomData|AcqTimesCache')) return new Float64Array();
  // It may be longer than the list of frames.
  const most = [...index.frames.keys()].reduce((a, b) => Math.max(a, b), 0) + 1;
  const bytes = Math.min(chunk.length, source.size - chunk.payload, most * 8);
  const count = Math.floor(bytes / 8);
  const times = new Float64Array(count);
  source.readInto(new Uint8Array(times.buffer), chunk.payload);
  return times;
}
