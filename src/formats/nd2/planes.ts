/** Frames to samples: exact reads of the rows, streamed into the target through one small buffer. */
import { BYTE_CODECS } from '../../codecs/index.js';
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { SAMPLE_ARRAYS } from '../../samples/types.js';
import { type Chunk, readChunk } from './chunk.js';
import { type FrameForm, frameBytes, rowBytes, TIME_BYTES } from './frame.js';

/** Stays in the second-level cache between the read and the conversion. */
const BUFFER_BYTES = 256 * 1024;
/** Unpacked bytes of one frame that are kept, so that its channels are unpacked once. */
const KEPT_BYTES = 256 * 2 ** 20;

export interface FrameRead {
  /** For messages: which plane it is. */
  where: () => string;
  frame: number;
  component: number;
  /** Rows of the picture become columns of the plane. */
  transposed: boolean;
}

/** The frames of one file. */
export class FrameReader {
  private readonly source: ByteSource;
  private readonly frames: ReadonlyMap<number, number>;
  private readonly form: FrameForm;
  private kept: { frame: number; bytes: Uint8Array } | undefined;

  constructor(source: ByteSource, frames: ReadonlyMap<number, number>, form: FrameForm) {
    this.source = source;
    this.frames = frames;
    this.form = form;
  }

  /** One component of a whole frame into `target`, which has its shape. @throws AcqError `decode_failed` */
  async read(what: FrameRead, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    const chunk = this.chunk(what.frame, what.where);
    const { form } = this;
    if (form.deflated) {
      const bytes = await this.unpack(chunk, what);
      this.put(bytes, what, 0, form.height, target);
      return;
    }
    this.checkWhole(chunk, what.where);
    const rows = Math.max(1, Math.floor(BUFFER_BYTES / form.stride));
    const buffer = new Uint8Array(frameBytes(form, Math.min(rows, form.height)));
    for (let row = 0; row < form.height; row += rows) {
      signal?.throwIfAborted();
      const count = Math.min(rows, form.height - row);
      const part = buffer.subarray(0, frameBytes(form, count));
      this.source.readInto(part, chunk.payload + TIME_BYTES + row * form.stride);
      this.put(part, what, row, count, target);
    }
  }

  /**
   * A line scan that has a frame of one row for each line: row i of `target` is the row of frame `frames(i)`.
   * @throws AcqError `decode_failed`
   */
  async readLines(
    where: string,
    frames: (line: number) => number,
    component: number,
    target: PlaneTarget,
    signal?: AbortSignal,
  ): Promise<void> {
    const row = rowBytes(this.form);
    const most = Math.max(1, Math.floor(BUFFER_BYTES / row));
    let buffer: Uint8Array | undefined;
    for (let first = 0; first < target.rows; first += most) {
      signal?.throwIfAborted();
      const count = Math.min(most, target.rows - first);
      for (let i = 0; i < count; i++) {
        const what = { where: () => `${where}, line ${first + i + 1}`, frame: frames(first + i) };
        const chunk = this.chunk(what.frame, what.where);
        if (!this.form.deflated) this.checkWhole(chunk, what.where);
        const unpacked = this.form.deflated ? await this.unpack(chunk, what) : undefined;
        buffer ??= new Uint8Array(Math.min(most, target.rows) * row);
        const line = buffer.subarray(i * row, (i + 1) * row);
        if (unpacked) line.set(unpacked.subarray(0, row));
        else this.source.readInto(line, chunk.payload + TIME_BYTES);
      }
      const samples = samplesOf(buffer as Uint8Array, this.form);
      const { components, width } = this.form;
      const block = { samples, offset: component, rowStride: width * components, columnStride: components };
      target.put(block, first, 0, count, width);
    }
  }

  /** ms at which a frame was taken, by the frame itself; `undefined` when it does not say. */
  timeOf(frame: number): number | undefined {
    const offset = this.frames.get(frame);
    const chunk = offset === undefined ? undefined : readChunk(this.source, offset);
    if (!chunk || chunk.length < TIME_BYTES || chunk.payload + TIME_BYTES > this.source.size) return undefined;
    const bytes = this.source.read(chunk.payload, TIME_BYTES);
    return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  }

  private chunk(frame: number, where: () => string): Chunk {
    const offset = this.frames.get(frame);
    if (offset === undefined)
      throw decodeFailed(`${where()} is not in the file; the recording was stopped or is damaged`);
    const chunk = readChunk(this.source, offset);
    if (chunk?.name !== `ImageDataSeq|${frame}!`) {
      throw decodeFailed(`${where()} is not where the chunk map says (byte ${offset}); the file is damaged`);
    }
    return chunk;
  }

  /** Before anything is allocated. */
  private checkWhole(chunk: Chunk, where: () => string): void {
    const needed = frameBytes(this.form, this.form.height);
    const there = Math.min(chunk.length, this.source.size - chunk.payload) - TIME_BYTES;
    if (there < needed) throw incomplete(where(), there, needed);
  }

  private async unpack(chunk: Chunk, what: Pick<FrameRead, 'where' | 'frame'>): Promise<Uint8Array> {
    if (this.kept?.frame === what.frame) return this.kept.bytes;
    const needed = frameBytes(this.form, this.form.height);
    const whole = this.form.height * this.form.stride;
    if (whole > LIMITS.chunkBytes || chunk.length > LIMITS.chunkBytes) {
      throw unsupported(`${what.where()}: compressed frames of ${whole} bytes are larger than can be unpacked`);
    }
    if (chunk.length < TIME_BYTES) throw incomplete(what.where(), 0, needed);
    const packed = this.source.read(chunk.payload + TIME_BYTES, chunk.length - TIME_BYTES);
    const decode = await BYTE_CODECS.deflate();
    let bytes: Uint8Array;
    try {
      bytes = decode(packed, { expected: whole, limit: whole });
    } catch (error) {
      throw decodeFailed(`${what.where()}: ${(error as Error).message}`, error);
    }
    if (bytes.length < needed) throw incomplete(what.where(), bytes.length, needed);
    this.kept = bytes.length <= KEPT_BYTES ? { frame: what.frame, bytes } : undefined;
    return bytes;
  }

  /** `bytes` begin with row `row` of the picture. */
  private put(bytes: Uint8Array, what: FrameRead, row: number, rows: number, target: PlaneTarget): void {
    const { stride, components, bytesPerSample, width } = this.form;
    const along = stride / bytesPerSample;
    const samples = samplesOf(bytes, this.form);
    const { component } = what;
    if (what.transposed) {
      target.put({ samples, offset: component, rowStride: components, columnStride: along }, 0, row, width, rows);
    } else {
      target.put({ samples, offset: component, rowStride: along, columnStride: components }, row, 0, rows, width);
    }
  }
}

function samplesOf(bytes: Uint8Array, form: FrameForm) {
  const { bytesPerSample, sampleType } = form;
  const aligned = bytes.byteOffset % bytesPerSample === 0 ? bytes : new Uint8Array(bytes);
  return new SAMPLE_ARRAYS[sampleType](
    aligned.buffer as ArrayBuffer,
    aligned.byteOffset,
    Math.floor(aligned.length / bytesPerSample),
  );
}

function incomplete(where: string, bytes: number, needed: number): Error {
  return decodeFailed(`${where} is incomplete: ${Math.max(0, bytes)} of ${needed} bytes are there`);
}
