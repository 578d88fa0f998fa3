/** OBF files of Imspector, after the description of the format by Abberior. */
import { deflateSync } from 'node:zlib';

type Samples = Uint8Array | Uint16Array | Int16Array | Float32Array;

export interface ObfAxisSpec {
  size: number;
  label?: string;
  /** Whole length, in the unit. */
  length?: number;
  unit?: 'm' | 's' | 'none';
  factor?: number;
  positions?: number[];
}

export interface ObfStackSpec {
  name?: string;
  /** The fastest first. */
  axes: ObfAxisSpec[];
  samples: Samples;
  /** In place of that of the samples. */
  type?: number;
  packed?: boolean;
  /** 0: without a footer; 1 to 6. */
  version?: number;
  description?: string;
  tags?: Record<string, string>;
  /** Samples in the file, of the stack. */
  written?: number;
  /** Stores the data in pieces of so many bytes, in reverse order but for the first. */
  pieceBytes?: number;
}

export interface ObfSpec {
  description?: string;
  stacks: ObfStackSpec[];
}

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const u64 = (...values: number[]) => Buffer.from(BigUint64Array.from(values.map(BigInt)).buffer);
const f64 = (...values: number[]) => Buffer.from(Float64Array.from(values).buffer);
const text = (value: string) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
const padded = (values: number[]) => [...values, ...new Array<number>(15 - values.length).fill(0)];

function typeOf(samples: Samples): number {
  if (samples instanceof Uint8Array) return 1;
  if (samples instanceof Uint16Array) return 4;
  return samples instanceof Int16Array ? 8 : 64;
}

export function writeObf({ stacks, description = '' }: ObfSpec): Uint8Array<ArrayBuffer> {
  const head = Buffer.concat([
    Buffer.from('OMAS_BF\n\xff\xff', 'latin1'),
    u32(1),
    u64(26 + Buffer.byteLength(description)),
    text(description),
  ]);
  const parts = [head];
  let at = head.length;
  for (const [i, stack] of stacks.entries()) {
    const bytes = stackBytes(stack, at, i === stacks.length - 1);
    parts.push(bytes);
    at += bytes.length;
  }
  return new Uint8Array(Buffer.concat(parts));
}

function stackBytes(spec: ObfStackSpec, at: number, isLast: boolean): Buffer<ArrayBuffer> {
  const { axes, samples, name = 'Ch1', description = '', version = 5, written = samples.length } = spec;
  const present = samples.subarray(0, written);
  const raw = Buffer.from(present.buffer, present.byteOffset, present.byteLength);
  const { data, pieces } = inPieces(spec.packed ? deflateSync(raw) : raw, spec.pieceBytes);
  const dataAt = at + 368 + Buffer.byteLength(name) + Buffer.byteLength(description);
  const footer = version > 0 ? footerOf(spec, { version, pieces, end: dataAt + data.length }) : Buffer.alloc(0);
  const header = Buffer.concat([
    Buffer.from('OMAS_BF_STACK\n\xff\xff', 'latin1'),
    u32(version, axes.length, ...padded(axes.map(({ size }) => size))),
    f64(...padded(axes.map(({ length = 0 }) => length)), ...new Array<number>(15).fill(0)),
    u32(spec.type ?? typeOf(samples), spec.packed ? 1 : 0, 5, Buffer.byteLength(name), Buffer.byteLength(description)),
    u64(0, data.length, isLast ? 0 : dataAt + data.length + footer.length),
  ]);
  return Buffer.concat([header, Buffer.from(name), Buffer.from(description), data, footer]);
}

/** Returns where pieces are in the file, after the first one. */
function inPieces(bytes: Buffer, pieceBytes: number | undefined) {
  if (pieceBytes === undefined) return { data: bytes, pieces: [] };
  const starts = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) => i * pieceBytes);
  const part = (start: number) => bytes.subarray(start, start + pieceBytes);
  const parts = [part(0)];
  const pieces: [logical: number, offset: number][] = [];
  let offset = pieceBytes;
  // The last piece is at the end: its length follows from it.
  for (const start of [...starts.slice(1, -1).reverse(), ...starts.slice(1).slice(-1)]) {
    parts.push(part(start));
    pieces.push([start, offset]);
    offset += part(start).length;
  }
  return { data: Buffer.concat(parts), pieces: pieces.sort((a, b) => a[0] - b[0]) };
}

interface Place {
  version: number;
  pieces: [logical: number, offset: number][];
  end: number;
}

function footerOf({ axes, tags = {}, written = 0 }: ObfStackSpec, { version, pieces, end }: Place): Buffer {
  const unit = ({ unit = 'm', factor = 1 }: ObfAxisSpec) => {
    const exponents = [unit === 'm' ? 1 : 0, 0, unit === 's' ? 1 : 0, 0, 0, 0, 0, 0, 0];
    return Buffer.concat([u32(...exponents.flatMap((exponent) => [exponent, 1])), f64(factor)]);
  };
  const none: ObfAxisSpec = { size: 1, unit: 'none' };
  const tagBytes = Buffer.concat([
    ...Object.entries(tags).flatMap(([name, value]) => [text(name), text(value)]),
    u32(0),
  ]);
  const fields = [
    u32(...padded(axes.map(({ positions }) => (positions ? 1 : 0))), ...padded([]), 0),
    ...(version >= 2 ? [unit(none), ...padded(axes.map((_, i) => i)).map((_, i) => unit(axes[i] ?? none))] : []),
    ...(version >= 3 ? [u64(0, 0)] : []),
    ...(version >= 4 ? [u64(tagBytes.length)] : []),
    ...(version >= 5 ? [u64(end), u32(0)] : []),
    ...(version >= 6 ? [u64(end, written, pieces.length)] : []),
  ];
  const size = 4 + fields.reduce((sum, { length }) => sum + length, 0);
  const tail = [
    ...axes.map(({ label = '' }) => text(label)),
    ...axes.flatMap(({ positions }) => (positions ? [f64(...positions)] : [])),
    ...(version >= 4 ? [tagBytes] : []),
    ...pieces.map((pair) => u64(...pair)),
  ];
  return Buffer.concat([u32(size), ...fields, ...tail]);
}
