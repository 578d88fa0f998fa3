import { LIMITS } from '../../../base/limits.js';
import type { Notes } from '../../../base/notes.js';
import { asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import { parseObject, toNumber } from '../../../model/metadata/micro-manager.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { readText } from '../parse.js';
import { indexOffset, PLANE_METADATA, readHeaderField } from './signs.js';

/** Marks of the blocks that Micro-Manager lists between the TIFF header and the first IFD. */
const SUMMARY_MARK = 2_355_492;
const INDEX_MARK = 3_453_623;

/** The fields of the summary of an acquisition that are used. */
export interface MicroManagerSummary {
  channelNames: string[];
  /** Signed integers `0xAARRGGBB`, by channel. */
  channelColors: (number | undefined)[];
  pixelSize: number | undefined;
  zStep: number | undefined;
  /** Seconds. */
  interval: number | undefined;
  sizes: { C: number; Z: number; T: number; P: number };
  started: string;
}

/** A plane by its 0-based indices, and the offset of its IFD. */
export interface IndexedPlane {
  c: number;
  z: number;
  t: number;
  p: number;
  ifdOffset: number;
}

/** Reads the summary in the header, completed by the metadata of the first plane. */
export function readSummary(file: TiffFile, page: TiffPage): MicroManagerSummary {
  const length = readHeaderField(file, 32, SUMMARY_MARK) ?? 0;
  const inFile = length > 0 && length <= LIMITS.metadataBytes && 40 + length <= file.source.size;
  const text = inFile ? new TextDecoder().decode(file.source.read(40, length)) : '';
  const summary = parseObject(text);
  const plane = parseObject(readText(page, PLANE_METADATA));
  const number = (key: string) => toNumber(summary[key]);
  const names = summary['ChNames'];
  const colors = summary['ChColors'];
  const milliseconds = number('Interval_ms');
  const zStep = number('z-step_um');
  return {
    channelNames: Array.isArray(names) ? names.map(String) : [],
    channelColors: Array.isArray(colors) ? colors.map(toNumber) : [],
    pixelSize: number('PixelSize_um') || toNumber(plane['PixelSizeUm'] ?? plane['PixelSize_um']),
    zStep: zStep === undefined ? undefined : Math.abs(zStep),
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

/** Reads the index at the end of the file; `undefined` if it was never written. */
export function readIndex(file: TiffFile): IndexedPlane[] | undefined {
  const at = indexOffset(file);
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

/**
 * Reads the metadata of every page, for files without an index because the recording was interrupted. A page whose place
 * is not known must not take that of another one.
 */
export function readPlaneMetadata(file: TiffFile, notes: Notes): IndexedPlane[] {
  const planes: IndexedPlane[] = [];
  let [unreadable, first] = [0, 0];
  for (let i = 0; i < file.pageCount; i++) {
    const page = file.page(i);
    const text = readText(page, PLANE_METADATA);
    if (text === '') continue;
    const fields = parseObject(text);
    if (Object.keys(fields).length === 0) {
      if (unreadable++ === 0) first = i;
      continue;
    }
    const index = (...keys: string[]) => toIndex(keys.map((key) => fields[key]).find((value) => value !== undefined));
    planes.push({
      c: index('ChannelIndex'),
      z: index('SliceIndex', 'Slice'),
      t: index('FrameIndex', 'Frame'),
      p: index('PositionIndex'),
      ifdOffset: page.ifdOffset,
    });
  }
  if (unreadable > 0) {
    notes.add(
      asCorrupted(
        `The metadata of ${plural(unreadable, 'page')} cannot be read (the first: page ${grouped(first + 1)}), so their place is ` +
          'unknown. They are not shown.',
      ),
    );
  }
  return planes;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function toIndex(value: unknown): number {
  const index = toNumber(value);
  return index !== undefined && Number.isSafeInteger(index) && index >= 0 ? index : 0;
}
