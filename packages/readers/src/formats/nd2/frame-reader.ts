/** Streams frames into a target through one small buffer. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { BYTE_CODECS } from '../../codecs/index.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import type { SampleArray } from '../../model/samples/types.js';
import { type Chunk, frameName, readChunk } from './chunk.js';
import { type FrameForm, frameBytes, rowBytes, TIME_BYTES } from './frame.js';
import { LineWindow } from './line-window.js';

/** Stays in the second-level cache between the read and the conversion. */
const BUFFER_BYTES = 256 * 1024;
/** Size limit of the decompressed frame that is kept, so that it is not decompressed again for each channel. */
const KEPT_BYTES = 256 * 2 ** 20;

export interface FrameRequest {
  /** Names the plane, for messages. */
  where: () => string;
  frame: number;
  /** Rows of the frame become columns of the plane. */
  transposed: boolean;
}

/** An interleaved component of a frame, and the plane that it is read into. */
export interface ComponentPick {
  component: number;
  target: PlaneTarget;
}

/** Some lines of a line scan that has a frame for each. */
interface Lines {
  /** Names the scan, for messages. */
  where: string;
  first: number;
  count: number;
  frameOf: (line: number) => number;
}

/** Reads the frames of one file. */
export class FrameReader {
  private readonly source: ByteSource;
  private readonly frames: ReadonlyMap<number, number>;
  private readonly form: FrameForm;
  private readonly window: LineWindow;
  private kept: { frame: number; bytes: Uint8Array } | undefined;

  /** @param frames chunk offsets by frame number */
  constructor(source: ByteSource, frames: ReadonlyMap<number, number>, form: FrameForm) {
    this.source = source;
    this.frames = frames;
    this.form = form;
    this.window = new LineWindow(source, rowBytes(form));
  }

  /**
   * Reads components of a frame into their targets, which have the shape of the plane, in one pass.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async read(request: FrameRequest, picks: readonly ComponentPick[], signal?: AbortSignal): Promise<void> {
    const chunk = this.chunk(request);
    const { form } = this;
    if (form.deflated) {
      const bytes = await this.decompress(chunk, request);
      this.put(toSamples(bytes, form), request, { row: 0, rows: form.height }, picks);
      return;
    }
    this.checkComplete(chunk, request.where);
    if (!request.transposed && form.components === 1 && form.stride === rowBytes(form)) {
      const offset = chunk.payload + TIME_BYTES;
      for (const { target } of picks) {
        readRows(
          this.source,
          { offset, sampleType: form.sampleType, littleEndian: true },
          target,
          signal,
          BUFFER_BYTES,
        );
      }
      return;
    }
    const rows = Math.max(1, Math.floor(BUFFER_BYTES / form.stride));
    const buffer = new Uint8Array(frameBytes(form, Math.min(rows, form.height)));
    for (let row = 0; row < form.height; row += rows) {
      signal?.throwIfAborted();
      const count = Math.min(rows, form.height - row);
      if (!request.transposed && picks.every(({ target }) => target.wants?.(row, count) === false)) continue;
      const part = buffer.subarray(0, frameBytes(form, count));
      this.source.readInto(part, chunk.payload + TIME_BYTES + row * form.stride);
      this.put(toSamples(part, form), request, { row, rows: count }, picks);
    }
  }

  /**
   * Reads components of a line scan that has a frame of one row for each line, in one pass: row `i` of the targets is the
   * row of frame `frameOf(i)`.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async readLines(
    where: string,
    frameOf: (line: number) => number,
    picks: readonly ComponentPick[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { components, width, deflated } = this.form;
    const row = rowBytes(this.form);
    const rows = picks[0]?.target.rows ?? 0;
    const linesPerPiece = Math.min(rows, Math.max(1, Math.floor(BUFFER_BYTES / row)));
    const memory = new Uint8Array(deflated ? 0 : linesPerPiece * row);
    for (let first = 0; first < rows; first += linesPerPiece) {
      signal?.throwIfAborted();
      const count = Math.min(linesPerPiece, rows - first);
      if (picks.every(({ target }) => target.wants?.(first, count) === false)) continue;
      const lines = { where, first, count, frameOf };
      const samples = deflated ? await this.inflateLines(lines) : this.readRawLines(lines, memory);
      for (const { component, target } of picks) {
        const piece = { samples, offset: component, rowStride: width * components, columnStride: components };
        target.put(piece, first, 0, count, width);
      }
    }
  }

  private async inflateLines({ where, first, count, frameOf }: Lines): Promise<SampleArray> {
    const row = rowBytes(this.form);
    let buffer: Uint8Array | undefined;
    for (let i = 0; i < count; i++) {
      const request = { where: () => `${where}, line ${first + i + 1}`, frame: frameOf(first + i) };
      const bytes = await this.decompress(this.chunk(request), request);
      // Allocated only after the first line was found to be complete.
      buffer ??= new Uint8Array(count * row);
      buffer.set(bytes.subarray(0, row), i * row);
    }
    return toSamples(buffer!, this.form);
  }

  private readRawLines({ where, first, count, frameOf }: Lines, memory: Uint8Array): SampleArray {
    const row = rowBytes(this.form);
    const frames = Array.from({ length: count }, (_, i) => frameOf(first + i));
    const offsets = Float64Array.from(frames, (frame) => this.frames.get(frame) ?? Number.NaN);
    for (let i = 0; i < count; i++) {
      const to = i * row;
      const frame = frames[i]!;
      const bytes = this.window.row(offsets, i, frame);
      if (bytes) memory.set(bytes, to);
      else this.readRow({ where: () => `${where}, line ${first + i + 1}`, frame }, memory.subarray(to, to + row));
    }
    return toSamples(memory.subarray(0, count * row), this.form);
  }

  private readRow(request: Pick<FrameRequest, 'where' | 'frame'>, memory: Uint8Array): void {
    const chunk = this.chunk(request);
    this.checkComplete(chunk, request.where);
    this.source.readInto(memory, chunk.payload + TIME_BYTES);
  }

  /** Returns the ms at which a frame was taken, as the frame itself says; `undefined` when that cannot be read. */
  timeOf(frame: number): number | undefined {
    const offset = this.frames.get(frame);
    const chunk = offset === undefined ? undefined : readChunk(this.source, offset);
    if (!chunk || chunk.length < TIME_BYTES || chunk.payload + TIME_BYTES > this.source.size) return undefined;
    const bytes = this.source.read(chunk.payload, TIME_BYTES);
    return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  }

  private chunk({ frame, where }: Pick<FrameRequest, 'where' | 'frame'>): Chunk {
    const offset = this.frames.get(frame);
    if (offset === undefined) {
      throw decodeFailed(`${where()} is missing from the file; the recording was probably interrupted`);
    }
    const chunk = readChunk(this.source, offset);
    if (chunk?.name !== frameName(frame)) {
      throw decodeFailed(`${where()} is not at byte ${grouped(offset)}, where it should be; the file is corrupted`);
    }
    return chunk;
  }

  /** Called before anything is allocated. */
  private checkComplete(chunk: Chunk, where: () => string): void {
    const required = frameBytes(this.form, this.form.height);
    const available = Math.min(chunk.length, this.source.size - chunk.payload) - TIME_BYTES;
    if (available < required) throw truncated(where(), available, required);
  }

  private async decompress(chunk: Chunk, { where, frame }: Pick<FrameRequest, 'where' | 'frame'>): Promise<Uint8Array> {
    if (this.kept?.frame === frame) return this.kept.bytes;
    const required = frameBytes(this.form, this.form.height);
    const expected = this.form.height * this.form.stride;
    const largest = Math.max(expected, chunk.length);
    if (largest > LIMITS.chunkBytes) {
      throw unsupported(
        `${where()} is a compressed frame of ${grouped(largest)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`,
      );
    }
    if (chunk.length < TIME_BYTES) throw truncated(where(), 0, required);
    const packed = this.source.read(chunk.payload + TIME_BYTES, chunk.length - TIME_BYTES);
    const decode = await BYTE_CODECS.deflate();
    let bytes: Uint8Array;
    try {
      bytes = decode(packed, { expected, limit: expected });
    } catch (error) {
      throw decodeFailed(`${where()}: ${(error as Error).message}`, error);
    }
    if (bytes.length < required) throw truncated(where(), bytes.length, required);
    this.kept = bytes.length <= KEPT_BYTES ? { frame, bytes } : undefined;
    return bytes;
  }

  /** Copies `rows` rows to the targets; `samples` start with row `row` of the frame. */
  private put(
    samples: SampleArray,
    { transposed }: FrameRequest,
    { row, rows }: { row: number; rows: number },
    picks: readonly ComponentPick[],
  ): void {
    const { stride, components, bytesPerSample, width } = this.form;
    const samplesPerRow = stride / bytesPerSample;
    for (const { component, target } of picks) {
      const piece = { samples, offset: component };
      if (transposed) target.put({ ...piece, rowStride: components, columnStride: samplesPerRow }, 0, row, width, rows);
      else target.put({ ...piece, rowStride: samplesPerRow, columnStride: components }, row, 0, rows, width);
    }
  }
}

function toSamples(bytes: Uint8Array, { bytesPerSample, sampleType }: FrameForm): SampleArray {
  const count = Math.floor(bytes.length / bytesPerSample);
  return viewAs(toHostWords(bytes, bytesPerSample * 8, count, true), sampleType);
}

function truncated(where: string, available: number, required: number): Error {
  return decodeFailed(
    `${where} is truncated: ${grouped(Math.max(0, available))} of ${grouped(required)} bytes are available`,
  );
}
