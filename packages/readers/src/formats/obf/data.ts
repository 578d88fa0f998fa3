/** The bytes of a stack: its pieces in the file put together, and unpacked. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { asCorrupted, asIncomplete } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { BYTE_CODECS } from '../../codecs/index.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { RawStack } from './parse.js';

/** Version of stacks whose data may be in pieces. */
const PIECES_SINCE = 6;
/** Deflate packs at most 1,032 bytes into one. */
const MAX_RATIO = 1_032;
/** Unpacked stacks up to this size are kept for the next plane. */
const KEPT_BYTES = 32 * 2 ** 20;

/** Bytes of a stack in the file, one run after the other. */
export interface StoredRun {
  logical: number;
  offset: number;
  bytes: number;
}

export interface StackData {
  runs: StoredRun[];
  /** Bytes of all samples, and of those that were recorded. */
  bytes: number;
  writtenBytes: number;
  isPacked: boolean;
  scratchBytes: number;
}

/** @throws AcqError `unsupported_format` when the stack is too large to be unpacked, `decode_failed` */
export function stackData(raw: RawStack, samples: number, size: number, fileBytes: number, notes: Notes): StackData {
  const runs = runsOf(raw);
  const last = runs.at(-1);
  const storedBytes = last ? last.logical + last.bytes : 0;
  const bytes = samples * size;
  const isPacked = raw.compression === 1;
  const { samplesWritten = 0 } = raw.footer ?? {};
  const recorded = samplesWritten > 0 ? Math.min(samplesWritten, samples) : samples;
  const writtenBytes = Math.min(recorded * size, isPacked ? bytes : storedBytes);
  if (isPacked && bytes > LIMITS.chunkBytes) {
    throw unsupported(
      `the stack is packed as a whole and has ${grouped(bytes)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}. ` +
        'Save it without compression in Imspector.',
    );
  }
  if (writtenBytes < bytes) {
    const present = plural(Math.floor(writtenBytes / size), 'sample');
    notes.add(asIncomplete(`The recording was stopped after ${present} of ${grouped(samples)}. The others are zeros.`));
  }
  const end = runs.reduce((last, { offset, bytes }) => Math.max(last, offset + bytes), 0);
  if (end > fileBytes) {
    notes.add(
      asCorrupted(`The file ends ${plural(end - fileBytes, 'byte')} before the end of the stack. Copy it again.`),
    );
  }
  return {
    runs,
    bytes,
    writtenBytes,
    isPacked,
    scratchBytes: isPacked ? decodeScratch(bytes, 'bytes') : 0,
  };
}

/** Pieces of interleaved stacks are anywhere behind the start of the data. */
function runsOf({ version, dataAt, dataBytes, footer }: RawStack): StoredRun[] {
  if (version >= PIECES_SINCE && !footer) {
    throw decodeFailed('what says where the data are is missing after them. The file is truncated; copy it again.');
  }
  const pieces = footer?.pieces ?? [];
  const starts = [{ logical: 0, offset: 0 }, ...pieces.filter(({ logical }) => logical > 0)];
  const end = footer?.usedEnd || dataAt + dataBytes;
  return starts.map(({ logical, offset }, i) => {
    const next = starts[i + 1];
    const bytes = next ? next.logical - logical : end - dataAt - offset;
    if (bytes < 0) throw decodeFailed('the pieces of the stack are not in order; the file is corrupted');
    return { logical, offset: dataAt + offset, bytes };
  });
}

/** Reads the bytes of stacks. Keeps the last one that it unpacked. */
export class StackReader {
  private readonly source: ByteSource;
  private kept: { data: StackData; bytes: Uint8Array } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Returns what fills `target` with the samples from an offset. @throws AcqError `decode_failed` */
  async open(data: StackData): Promise<(target: Uint8Array, offset: number) => void> {
    const unpacked = data.isPacked ? await this.unpack(data) : undefined;
    return (target, offset) => {
      const length = Math.max(0, Math.min(target.length, data.writtenBytes - offset));
      if (unpacked && offset + length > unpacked.length) {
        throw decodeFailed(
          `the samples end after ${grouped(unpacked.length)} of ${plural(data.writtenBytes, 'byte')}. The file is truncated; copy it again.`,
        );
      }
      if (unpacked) target.set(unpacked.subarray(offset, offset + length));
      else this.stored(data, target.subarray(0, length), offset);
      target.fill(0, length);
    };
  }

  private async unpack(data: StackData): Promise<Uint8Array> {
    if (this.kept?.data === data) return this.kept.bytes;
    const inside = data.runs.filter(({ offset }) => offset < this.source.size);
    const last = inside.at(-1);
    const length = last ? last.logical + Math.min(last.bytes, this.source.size - last.offset) : 0;
    const packed = new Uint8Array(Math.min(length, this.source.size));
    this.stored(data, packed, 0);
    const expected = Math.min(data.bytes, MAX_RATIO * packed.length + 1024);
    const bytes = (await BYTE_CODECS.deflate())(packed, { expected, limit: data.bytes });
    if (bytes.length <= KEPT_BYTES) this.kept = { data, bytes };
    return bytes;
  }

  private stored({ runs }: StackData, target: Uint8Array, from: number): void {
    const end = from + target.length;
    for (const { logical, offset, bytes } of runs) {
      const start = Math.max(from, logical);
      const stop = Math.min(end, logical + bytes);
      if (start < stop) this.source.readInto(target.subarray(start - from, stop - from), offset + start - logical);
    }
  }
}
