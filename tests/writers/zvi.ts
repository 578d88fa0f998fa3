/** Writes ZVI files as AxioVision lays them out: values of OLE Automation in streams of a compound file. */

import { deflateSync } from 'node:zlib';
import { writeOle } from './ole.js';

/** Number of the vendor and bytes of a pixel. */
const FORMATS = {
  bgr: [1, 3],
  bgra: [2, 4],
  uint8: [3, 1],
  uint16: [4, 2],
  int32: [5, 4],
  float32: [6, 4],
  float64: [7, 8],
  bgr16: [8, 6],
} as const;

/** What a tag has: its type, and its value. */
export type TagValue =
  | { int: number }
  | { double: number }
  | { date: number }
  | { text: string }
  | { bool: boolean }
  | { type: number; bytes: number[] };
export type Tags = Readonly<Record<number, TagValue>>;
type TagEntry = [id: number, value: TagValue];

export interface ZviPlaneSpec {
  z?: number;
  c?: number;
  t?: number;
  /** Scene and position. */
  s?: number;
  p?: number;
  /** Samples as they are stored, low byte first. */
  pixels: Uint8Array;
  tags?: Tags;
  size?: [width: number, height: number];
  compression?: 'zlib' | 'jpeg';
  /** In place of the number of the format. */
  format?: number;
  /** A value in front of the indices in place of the plug-in, such as one of an unknown type. */
  plugin?: number[];
}

export interface ZviSpec {
  type: keyof typeof FORMATS;
  size: [width: number, height: number];
  planes: ZviPlaneSpec[];
  tags?: Tags;
  /** Planes that the image says it has. */
  count?: number;
  /** The only plane is in the stream of the image, as old versions wrote it. */
  isSingle?: boolean;
  /** Numbers of items; 0, 1, 2, … when omitted. */
  items?: number[];
}

export const int = (value: number): TagValue => ({ int: value });
export const double = (value: number): TagValue => ({ double: value });
export const date = (value: number): TagValue => ({ date: value });
export const text = (value: string): TagValue => ({ text: value });

export function writeZvi(spec: ZviSpec): Uint8Array<ArrayBuffer> {
  const { type, size, planes, tags = {}, count = planes.length, isSingle = false, items } = spec;
  const [width, height] = size;
  const sizes: TagEntry[] = [
    [515, int(width)],
    [516, int(height)],
    [517, int(count)],
    [518, int(FORMATS[type][0])],
  ];
  const streams = planes.flatMap((plane, i) => {
    const storage = `Image/Item(${items?.[i] ?? i})`;
    return [
      { path: `${storage}/Contents`, bytes: planeContents(spec, plane) },
      { path: `${storage}/Tags/Contents`, bytes: tagList([...indexTags(plane), ...entriesOf(plane.tags)]) },
    ];
  });
  const contents = isSingle ? planeContents(spec, planes[0]!) : imageContents(spec, count);
  return new Uint8Array(
    writeOle([
      { path: 'Image/Contents', bytes: contents },
      { path: 'Image/Tags/Contents', bytes: tagList([...sizes, ...entriesOf(tags)]) },
      ...(isSingle ? [] : streams),
      { path: 'Tags', bytes: new Uint8Array(16) },
    ]),
  );
}

/** Writes the version, the number of tags, and a value, a number and an attribute for each. */
function tagList(tags: readonly TagEntry[]): Uint8Array {
  const out = new Values();
  out.int(0x20001000);
  out.int(tags.length);
  for (const [id, value] of tags) {
    out.tag(value);
    out.int(id);
    out.int(0);
  }
  return out.bytes();
}

function entriesOf(tags: Tags = {}): TagEntry[] {
  return Object.entries(tags).map(([id, value]) => [Number(id), value]);
}

/** The indices are in front of all tags that other readers file under them. */
function indexTags({ z = 0, c = 0, t = 0, s = 0, p = 0 }: ZviPlaneSpec): TagEntry[] {
  return [
    [2822, int(p)],
    [2827, int(s)],
    [2821, int(t)],
    [2820, int(c)],
    [2819, int(z)],
  ];
}

function imageContents({ type, size, planes }: ZviSpec, count: number): Uint8Array {
  const out = new Values();
  startContents(out, type, size, count);
  out.blob(new Uint8Array(16));
  out.blob(new Uint8Array(128));
  for (const name of ['Layers', 'Tags', 'Scaling', ...planes.map((_, i) => `Item(${i})`)]) out.storage(name);
  return out.bytes();
}

function planeContents({ type, size: all }: ZviSpec, plane: ZviPlaneSpec): Uint8Array {
  const { z = 0, c = 0, t = 0, s = 0, p = 0, pixels, size = all, compression, plugin } = plane;
  const out = new Values();
  startContents(out, type, size, 0);
  if (plugin) out.raw(plugin);
  else out.blob(new Uint8Array(16));
  const indices = new Uint8Array(128);
  new Int32Array(indices.buffer).set([0, 0, z, c, t, s, p, 0]);
  out.blob(indices);
  out.empty(9);
  out.storage('Tags');
  for (let i = 0; i < 3; i++) out.empty(9);
  const [format, bytes] = FORMATS[type];
  const valid = compression === undefined ? (bytes === 2 ? 16 : 8) : compression === 'zlib' ? 0 : 1;
  out.words([0x10002000, ...size, 1, bytes, plane.format ?? format, valid]);
  if (compression === 'zlib') {
    out.raw([0x57, 0x5a, 0x4c, 0x20]);
    out.words([pixels.length]);
    out.raw(deflateSync(pixels));
  } else {
    out.raw(pixels);
  }
  return out.bytes();
}

/** Ten values: the version, the size and the format, and how many planes there are. */
function startContents(out: Values, type: keyof typeof FORMATS, size: readonly number[], count: number): void {
  out.int(0x30001003);
  out.int(0);
  out.empty(0);
  out.empty(0);
  for (const value of [...size, 1, FORMATS[type][0], count, 16]) out.int(value);
}

/** Values that follow each other, each behind the number of its type. */
class Values {
  private readonly parts: Uint8Array[] = [];

  raw(bytes: ArrayLike<number>): void {
    this.parts.push(Uint8Array.from(bytes));
  }

  words(values: readonly number[]): void {
    this.parts.push(new Uint8Array(Int32Array.from(values).buffer));
  }

  int(value: number): void {
    this.type(3);
    this.words([value]);
  }

  /** A value without content: 0, or 9 and 13 with 16 bytes. */
  empty(type: 0 | 9): void {
    this.type(type);
    if (type === 9) this.raw(new Uint8Array(16));
  }

  blob(bytes: Uint8Array): void {
    this.type(65);
    this.words([bytes.length]);
    this.raw(bytes);
  }

  storage(name: string): void {
    this.text(69, name);
  }

  tag(value: TagValue): void {
    if ('int' in value) this.int(value.int);
    else if ('text' in value) this.text(8, value.text);
    else if ('bool' in value) {
      this.type(11);
      this.raw(value.bool ? [255, 255] : [0, 0]);
    } else if ('type' in value) {
      this.type(value.type);
      this.raw(value.bytes);
    } else {
      this.type('date' in value ? 7 : 5);
      this.raw(new Uint8Array(Float64Array.of('date' in value ? value.date : value.double).buffer));
    }
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.parts));
  }

  private type(type: number): void {
    this.raw([type & 255, type >> 8]);
  }

  /** UTF-16 with a zero at its end. */
  private text(type: number, content: string): void {
    const bytes = Buffer.from(`${content}\0`, 'utf16le');
    this.type(type);
    this.words([bytes.length]);
    this.raw(bytes);
  }
}
