import { LIMITS } from '../../../io/limits.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { textOf } from '../soft-tags.js';

const PLANE_METADATA = 51123;

/** Marks of the blocks that Micro-Manager names between the TIFF header and its first IFD. */
const INDEX_OFFSET_MARK = 54_773_648;
const SUMMARY_MARK = 2_355_492;
const INDEX_MARK = 3_453_623;

/** What the summary of an acquisition says, as far as it is used here. */
export interface MicroManagerSummary {
  channelNames: string[];
  /** `0xAARRGGBB` as signed integers, by channel. */
  channelColors: (number | undefined)[];
  pixelSize: number | undefined;
  zStep: number | undefined;
  /** Seconds. */
  interval: number | undefined;
  sizes: { C: number; Z: number; T: number; P: number };
  started: string;
}

/** Place of a plane: 0-based indices and the offset of its IFD. */
export interface IndexedPlane {
  c: number;
  z: number;
  t: number;
  p: number;
  ifdOffset: number;
}

/** True for MMStack files, by their header or by the metadata of their first plane. */
export function isMicroManager(file: TiffFile, page: TiffPage): boolean {
  return page.tags.has(PLANE_METADATA) || headerBlock(file, 8, INDEX_OFFSET_MARK) !== undefined;
}

/** The summary in the header, together with what only the metadata of the first plane tell. */
export function readSummary(file: TiffFile, page: TiffPage): MicroManagerSummary {
  const length = headerBlock(file, 32, SUMMARY_MARK) ?? 0;
  const inFile = length > 0 && length <= LIMITS.metadataBytes && 40 + length <= file.source.size;
  const text = inFile ? new TextDecoder().decode(file.source.read(40, length)) : '';
  const summary = parseObject(text);
  const plane = parseObject(textOf(page, PLANE_METADATA));
  const number = (key: string) => toNumber(summary[key]);
  const names = summary['ChNames'];
  const colors = summary['ChColors'];
  const milliseconds = number('Interval_ms');
  return {
    channelNames: Array.isArray(names) ? names.map(String) : [],
    channelColors: Array.isArray(colors) ? colors.map(toNumber) : [],
    pixelSize: number('PixelSize_um') || toNumber(plane['PixelSizeUm'] ?? plane['PixelSize_um']),
    zStep: absolute(number('z-step_um')),
    interval: milliseconds === undefined ? undefined : milliseconds / 1000,
    sizes: {
      C: number('Channels') ?? 1,
      Z: number('Slices') ?? 1,
      T: number('Frames') ?? 1,
      P: number('Positions') ?? 1,
    },
    started: String(summary['StartTime'] ?? plane['Time'] ?? summary['Time'] ?? ''),
  };
}

/** Planes by the index at the end of the file; `undefined` when it was never written. */
export function readIndex(file: TiffFile): IndexedPlane[] | undefined {
  const at = headerBlock(file, 8, INDEX_OFFSET_MARK);
  const { source, littleEndian } = file;
  if (at === undefined || at < 8 || at + 8 > source.size) return undefined;
  const head = view(source.read(at, 8));
  const count = head.getUint32(4, littleEndian);
  if (head.getUint32(0, littleEndian) !== INDEX_MARK || count === 0 || count > LIMITS.planes) return undefined;
  if (at + 8 + count * 20 > source.size) return undefined;
  const entries = view(source.read(at + 8, count * 20));
  return Array.from({ length: count }, (_, i) => {
    const [c, z, t, p, ifdOffset] = [0, 4, 8, 12, 16].map((field) => entries.getUint32(i * 20 + field, littleEndian));
    return { c, z, t, p, ifdOffset } as IndexedPlane;
  });
}

/** Planes by the metadata of every page: for files whose writer did not get to write the index. */
export function readPlaneMetadata(file: TiffFile): IndexedPlane[] {
  const planes: IndexedPlane[] = [];
  for (let i = 0; i < file.pageCount; i++) {
    const page = file.page(i);
    const text = textOf(page, PLANE_METADATA);
    if (text === '') continue;
    const fields = parseObject(text);
    const index = (...keys: string[]) => toIndex(keys.map((key) => fields[key]).find((value) => value !== undefined));
    planes.push({
      c: index('ChannelIndex'),
      z: index('SliceIndex', 'Slice'),
      t: index('FrameIndex', 'Frame'),
      p: index('PositionIndex'),
      ifdOffset: page.ifdOffset,
    });
  }
  return planes;
}

/** The number behind a mark in the header. */
function headerBlock({ source, littleEndian, bigTiff }: TiffFile, at: number, mark: number): number | undefined {
  if (bigTiff || source.size < at + 8) return undefined;
  const bytes = view(source.read(at, 8));
  return bytes.getUint32(0, littleEndian) === mark ? bytes.getUint32(4, littleEndian) : undefined;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** JSON of an object; `{}` for anything else. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text.split('\0', 1)[0] ?? '');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value.replace(',', '.')) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function toIndex(value: unknown): number {
  const index = toNumber(value);
  return index !== undefined && Number.isSafeInteger(index) && index >= 0 ? index : 0;
}

function absolute(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.abs(value);
}
