/** Reads bands, and streams their samples into the target through one small buffer. */
import { type AcqError, companionMissing, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { type LentRows, lendRows, lends } from '../../model/samples/lent-rows.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import type { SampleArray } from '../../model/samples/types.js';
import { type Arranged, frameAt, SAMPLE_TYPES, type SampleBytes } from './arrange.js';
import { type BandBlock, layoutPlane, type PlaneLayout } from './layout.js';
import { frameBands, type Recording } from './recording.js';
import type { OirReference } from './reference.js';

/** Small enough to stay in the second-level cache between the read and the conversion. */
const BUFFER_BYTES = 256 * 1024;
/** Bytes between two bands up to which one read for both costs less than two. */
const MAX_GAP = 512;
/** Bands of this size are read on their own, straight into the plane: a copy costs more than a read. */
const DIRECT_BYTES = 16 * 1024;

/**
 * Reads a plane. The channel index counts the wavelengths of each channel.
 * @throws AcqError `decode_failed`, `companion_missing`
 */
export function readRecordingPlane(
  recording: Recording,
  arranged: Arranged,
  address: { channel: number; t: number; z: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const { t, z } = address;
  const wavelengths = arranged.lambda.length;
  const lambda = address.channel % wavelengths;
  const id = arranged.channels[Math.floor(address.channel / wavelengths)];
  const frame = frameAt(recording, arranged, { t, lambda, z });
  const plane = describePlane(arranged, address);
  if (id === undefined || !frame) throw missingPixels(recording, plane, 'is missing from the files of this recording');
  const layout = layoutPlane(frameBands(frame, id));
  readLayout(recording, layout, arranged.bytesPerSample, target, plane, signal);
}

/** Reads a channel of the reference image. @throws AcqError `decode_failed`, `companion_missing` */
export function readReferencePlane(
  recording: Recording,
  reference: OirReference,
  channel: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const plane = `channel ${channel + 1} of the reference image`;
  const layout = reference.planes[channel]?.layout;
  if (!layout) throw missingPixels(recording, plane, 'is missing from the file');
  readLayout(recording, layout, reference.bytesPerSample, target, plane, signal);
}

function describePlane(arranged: Arranged, { channel, t, z }: { channel: number; t: number; z: number }): string {
  const axes = [`channel ${channel + 1}`];
  if (arranged.t.length > 1) axes.push(`time ${t + 1}`);
  if (arranged.z.length > 1) axes.push(`depth ${z + 1}`);
  return `the plane of ${axes.join(', ')}`;
}

/** Returns the error for pixels that no file contains: a file of the set is missing, or the recording is corrupted. */
function missingPixels({ missing }: Recording, plane: string, problem: string): AcqError {
  if (!missing) return decodeFailed(`${plane} ${problem}`);
  const [first] = missing.names;
  const others = missing.names.length - 1;
  const file = others > 0 ? `"${first}" (or one of ${grouped(others)} more missing files)` : `"${first}"`;
  return companionMissing(`${file}, which contains ${plane},`, missing.folder);
}

function readLayout(
  recording: Recording,
  layout: PlaneLayout,
  bytesPerSample: SampleBytes,
  target: PlaneTarget,
  plane: string,
  signal: AbortSignal | undefined,
): void {
  const required = target.rows * target.columns * bytesPerSample;
  if (layout.bytes < required) {
    const gap = layout.span > layout.bytes ? 'the next band is missing' : 'the rest is missing';
    const bytes = `${grouped(layout.bytes)} of ${grouped(required)} bytes`;
    throw missingPixels(recording, plane, `is incomplete: the files contain ${bytes}; ${gap}`);
  }
  signal?.throwIfAborted();
  const sources = recording.files.map(({ source }) => source);
  const writer = new SampleWriter(target, bytesPerSample);
  let left = required;
  const readsAlone = lends(target, SAMPLE_TYPES[bytesPerSample]) ? DIRECT_BYTES : Number.POSITIVE_INFINITY;
  for (const run of groupBands(layout.bands, readsAlone)) {
    if (left <= 0) return;
    left -= readRun(sources, run, left, writer, signal);
  }
  writer.flush();
}

/**
 * Groups bands that follow each other in one file, with only their tags between them.
 * @param readsAlone bytes from which on a band is read on its own
 */
function* groupBands(bands: readonly BandBlock[], readsAlone: number): Generator<BandBlock[]> {
  let run: BandBlock[] = [];
  let bytes = 0;
  for (const band of bands) {
    const previous = run.at(-1);
    const gap = previous && previous.file === band.file ? band.offset - previous.offset - previous.length : -1;
    const isSmall = Math.max(band.length, previous?.length ?? 0) < readsAlone;
    if (isSmall && gap >= 0 && gap <= MAX_GAP && bytes + gap + band.length <= BUFFER_BYTES) {
      run.push(band);
      bytes += gap + band.length;
      continue;
    }
    if (run.length > 0) yield run;
    run = [band];
    bytes = band.length;
  }
  if (run.length > 0) yield run;
}

/** Reads at most `limit` bytes of a run into the writer; returns how many it read. */
function readRun(
  sources: readonly ByteSource[],
  run: readonly BandBlock[],
  limit: number,
  writer: SampleWriter,
  signal: AbortSignal | undefined,
): number {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return 0;
  const source = sources[first.file]!;
  if (run.length === 1) return readBand(source, first, limit, writer, signal);
  signal?.throwIfAborted();
  const bytes = source.read(first.offset, last.offset + last.length - first.offset);
  let done = 0;
  for (const band of run) {
    const length = Math.min(band.length, limit - done);
    if (length <= 0) break;
    writer.add(bytes.subarray(band.offset - first.offset, band.offset - first.offset + length));
    done += length;
  }
  return done;
}

function readBand(
  source: ByteSource,
  band: BandBlock,
  limit: number,
  writer: SampleWriter,
  signal: AbortSignal | undefined,
): number {
  const length = Math.min(band.length, limit);
  let done = 0;
  while (done < length) {
    signal?.throwIfAborted();
    const lent = writer.lend(length - done);
    const piece = lent?.bytes ?? writer.space().subarray(0, length - done);
    const bytes = piece.length;
    source.readInto(piece, band.offset + done);
    if (lent) lent.put();
    else writer.advance(bytes);
    done += bytes;
  }
  return length;
}

/** Collects bytes and puts whole samples into the plane. Bands may start and end anywhere in a row. */
class SampleWriter {
  private readonly target: PlaneTarget;
  private readonly bytesPerSample: SampleBytes;
  private readonly buffer = new Uint8Array(BUFFER_BYTES);
  private readonly samples: SampleArray;
  private filled = 0;
  /** Samples that were put into the plane. */
  private done = 0;

  constructor(target: PlaneTarget, bytesPerSample: SampleBytes) {
    this.target = target;
    this.bytesPerSample = bytesPerSample;
    const words = toHostWords(this.buffer, 8 * bytesPerSample, BUFFER_BYTES / bytesPerSample, true);
    this.samples = viewAs(words, SAMPLE_TYPES[bytesPerSample]);
  }

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const space = this.space();
      const piece = bytes.subarray(done, done + space.length);
      space.set(piece);
      this.advance(piece.length);
      done += piece.length;
    }
  }

  /** Returns memory of the plane for rows that `bytes` more bytes fill; nothing inside a row. */
  lend(bytes: number): LentRows | undefined {
    const { target, bytesPerSample } = this;
    const { columns } = target;
    const rows = Math.floor(bytes / (columns * bytesPerSample));
    if (rows === 0) return undefined;
    this.flush();
    if (this.filled > 0 || this.done % columns !== 0) return undefined;
    const type = { sampleType: SAMPLE_TYPES[bytesPerSample], littleEndian: true };
    const lent = lendRows(target, type, this.done / columns, rows);
    if (lent) this.done += lent.rows * columns;
    return lent;
  }

  /** Returns room for more bytes; never empty. */
  space(): Uint8Array {
    if (this.filled === BUFFER_BYTES) this.flush();
    return this.buffer.subarray(this.filled);
  }

  advance(bytes: number): void {
    this.filled += bytes;
  }

  /** Puts all complete samples into the plane; keeps the bytes of an incomplete one. */
  flush(): void {
    const count = Math.floor(this.filled / this.bytesPerSample);
    this.put(count);
    const used = count * this.bytesPerSample;
    this.buffer.copyWithin(0, used, this.filled);
    this.filled -= used;
  }

  private put(count: number): void {
    const { columns } = this.target;
    let from = 0;
    while (from < count) {
      const row = Math.floor(this.done / columns);
      const column = this.done % columns;
      const whole = column === 0 ? Math.floor((count - from) / columns) : 0;
      const rows = Math.max(1, whole);
      const width = whole > 0 ? columns : Math.min(columns - column, count - from);
      const piece = { samples: this.samples, offset: from, rowStride: columns, columnStride: 1 };
      this.target.put(piece, row, column, rows, width);
      from += rows * width;
      this.done += rows * width;
    }
  }
}
