/** Bands to samples: exact reads, streamed into the target through one small buffer. */
import { type AcqError, companionMissing, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import type { SampleArray } from '../../samples/types.js';
import { type Arranged, frameAt } from './arrange.js';
import { type Band, layoutPlane, type PlaneLayout } from './layout.js';
import { frameBands, type Recording } from './recording.js';
import type { Reference } from './reference.js';

/** Stays in the second-level cache between the read and the conversion. */
const BUFFER_BYTES = 256 * 1024;
/** Bytes between two bands below which one read for both costs less than two. */
const COALESCE_GAP = 512;

/** Our channel index runs over the wavelengths of each channel. @throws AcqError `decode_failed` */
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
  const where = placeText(arranged, address);
  if (id === undefined || !frame) throw absent(recording, where, 'is not in the files of this recording');
  const layout = layoutPlane(frameBands(frame, id));
  readLayout(recording, layout, arranged.bytesPerSample, target, where, signal);
}

/** @throws AcqError `decode_failed` */
export function readReferencePlane(
  recording: Recording,
  reference: Reference,
  channel: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const where = `channel ${channel + 1} of the reference image`;
  const plane = reference.planes[channel];
  if (!plane) throw absent(recording, where, 'is not in the file');
  readLayout(recording, plane.layout, reference.bytesPerSample, target, where, signal);
}

function placeText(arranged: Arranged, { channel, t, z }: { channel: number; t: number; z: number }): string {
  const axes = [`channel ${channel + 1}`];
  if (arranged.t.length > 1) axes.push(`time ${t + 1}`);
  if (arranged.z.length > 1) axes.push(`depth ${z + 1}`);
  return `the plane of ${axes.join(', ')}`;
}

/** Pixels that no file holds: those of a missing file of the set, or damage. */
function absent({ name, missing }: Recording, where: string, finding: string): AcqError {
  if (!missing) return decodeFailed(`${name}: ${where} ${finding}`);
  const [first] = missing.names;
  const more = missing.names.length > 1 ? ` and ${missing.names.length - 1} more` : '';
  return companionMissing(name, `"${first}"${more}, where ${where} must be,`, missing.folder);
}

function readLayout(
  recording: Recording,
  layout: PlaneLayout,
  bytesPerSample: 1 | 2 | 4,
  target: PlaneTarget,
  where: string,
  signal: AbortSignal | undefined,
): void {
  const needed = target.rows * target.columns * bytesPerSample;
  if (layout.bytes < needed) {
    const hole = layout.span > layout.bytes ? `a band is missing behind byte ${layout.bytes}` : 'the rest is missing';
    throw absent(recording, where, `is incomplete: ${layout.bytes} of ${needed} bytes are there, ${hole}`);
  }
  signal?.throwIfAborted();
  const sources = recording.files.map(({ source }) => source);
  const writer = new SampleWriter(target, bytesPerSample);
  let left = needed;
  for (const run of runsOf(layout.bands)) {
    if (left <= 0) return;
    left -= readRun(sources, run, left, writer, signal);
  }
  writer.flush();
}

/** Bands that lie one behind the other in one file, with nothing but their tags between. */
function* runsOf(bands: readonly Band[]): Generator<Band[]> {
  let run: Band[] = [];
  let bytes = 0;
  for (const band of bands) {
    const before = run.at(-1);
    const gap = before && before.file === band.file ? band.offset - before.offset - before.length : -1;
    if (gap >= 0 && gap <= COALESCE_GAP && bytes + gap + band.length <= BUFFER_BYTES) {
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

/** Reads at most `limit` bytes of a run into the writer; returns how many. */
function readRun(
  sources: readonly ByteSource[],
  run: readonly Band[],
  limit: number,
  writer: SampleWriter,
  signal: AbortSignal | undefined,
): number {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return 0;
  const source = sources[first.file] as ByteSource;
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
  band: Band,
  limit: number,
  writer: SampleWriter,
  signal: AbortSignal | undefined,
): number {
  const length = Math.min(band.length, limit);
  let done = 0;
  while (done < length) {
    signal?.throwIfAborted();
    const space = writer.space();
    const piece = Math.min(space.length, length - done);
    source.readInto(space.subarray(0, piece), band.offset + done);
    writer.advance(piece);
    done += piece;
  }
  return length;
}

/** Collects bytes and puts whole samples into the plane, row by row wherever bands begin and end. */
class SampleWriter {
  private readonly target: PlaneTarget;
  private readonly bytesPerSample: 1 | 2 | 4;
  private readonly buffer = new Uint8Array(BUFFER_BYTES);
  private readonly samples: SampleArray;
  private filled = 0;
  /** Samples of the plane that are put. */
  private done = 0;

  constructor(target: PlaneTarget, bytesPerSample: 1 | 2 | 4) {
    this.target = target;
    this.bytesPerSample = bytesPerSample;
    const { buffer } = this.buffer;
    if (bytesPerSample === 1) this.samples = this.buffer;
    else this.samples = bytesPerSample === 2 ? new Uint16Array(buffer) : new Float32Array(buffer);
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const space = this.space();
      const piece = bytes.subarray(at, at + space.length);
      space.set(piece);
      this.advance(piece.length);
      at += piece.length;
    }
  }

  /** Room for more bytes; never empty. */
  space(): Uint8Array {
    if (this.filled === BUFFER_BYTES) this.flush();
    return this.buffer.subarray(this.filled);
  }

  advance(bytes: number): void {
    this.filled += bytes;
  }

  /** Puts the whole samples that are there; the bytes of a split one wait for their rest. */
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
      const block = { samples: this.samples, offset: from, rowStride: columns, columnStride: 1 };
      this.target.put(block, row, column, rows, width);
      from += rows * width;
      this.done += rows * width;
    }
  }
}
