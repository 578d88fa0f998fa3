import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import { pageLabel } from '../../tiff/page-label.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

/** The properties that all image pages of a file share, from the first page. */
export interface ImageShape {
  width: number;
  height: number;
  channels: number;
  /** Bits of a stored sample of each channel: 8, 16 or 32. */
  bits: readonly number[];
  /** True when the samples of all channels are stored side by side; otherwise each channel has its own strips. */
  interleaved: boolean;
  /** Strips of a channel, or of an interleaved page; 1 in all files written by Zeiss. */
  strips: number;
  rowsPerStrip: number;
  compression: number;
}

/** Returns the ChannelDataTypes of the first channels. */
type DataTypes = (channels: number) => readonly number[] | undefined;

/**
 * Reads the shape of the images from the first page.
 * @throws AcqError `decode_failed`, `unsupported_format`, `plane_too_large`
 */
export function readShape(file: TiffFile, dataTypes: DataTypes): ImageShape {
  const page = file.page(0);
  const where = pageLabel(page);
  const width = readSide(page, TAG.imageWidth, 'ImageWidth', where);
  const height = readSide(page, TAG.imageLength, 'ImageLength', where);
  const channels = page.number(TAG.samplesPerPixel) ?? 1;
  if (!(Number.isInteger(channels) && channels >= 1 && channels <= LIMITS.samplesPerPixel)) {
    throw decodeFailed(
      `${where}: SamplesPerPixel is ${grouped(channels)}; expected 1 to ${grouped(LIMITS.samplesPerPixel)}`,
    );
  }
  const listed = page.tags.get(TAG.stripOffsets)?.count ?? 0;
  const interleaved = channels > 1 && isInterleaved(page, listed, channels, height);
  const strips = interleaved ? listed : listed / channels;
  if (!(strips >= 1 && strips <= height && Number.isInteger(strips))) {
    const counts = `${plural(listed, 'strip')} for ${plural(channels, 'channel')}`;
    throw decodeFailed(`${where}: lists ${counts}; the page is corrupted or unfinished`);
  }
  const rowsPerStrip = strips === 1 ? height : (page.number(TAG.rowsPerStrip) ?? height);
  if (!Number.isInteger(rowsPerStrip) || Math.ceil(height / rowsPerStrip) !== strips) {
    const counts = `${plural(strips, 'strip')} of ${plural(rowsPerStrip, 'row')} for ${plural(height, 'row')}`;
    throw decodeFailed(`${where}: lists ${counts}; the page is corrupted`);
  }
  const bits = readBits(file, channels, dataTypes);
  if (interleaved && new Set(bits).size > 1) {
    throw unsupported(`${where}: interleaved channels of different depths (${bits.join(', ')} bits) are not supported`);
  }
  const compression = page.number(TAG.compression) ?? 1;
  return { width, height, channels, bits, interleaved, strips, rowsPerStrip, compression };
}

/**
 * Checks a page against the first one.
 * @throws AcqError `decode_failed` when they differ
 */
export function expectShape(page: TiffPage, shape: ImageShape): void {
  const width = page.number(TAG.imageWidth) ?? 0;
  const height = page.number(TAG.imageLength) ?? 0;
  const samples = page.number(TAG.samplesPerPixel) ?? 1;
  const compression = page.number(TAG.compression) ?? 1;
  const strips = page.tags.get(TAG.stripOffsets)?.count ?? 0;
  const expectedStrips = shape.strips * (shape.interleaved ? 1 : shape.channels);
  const isSame =
    width === shape.width &&
    height === shape.height &&
    samples === shape.channels &&
    compression === shape.compression &&
    strips === expectedStrips;
  if (isSame) return;
  throw decodeFailed(
    `${pageLabel(page)} does not match the first image: ${grouped(height)} × ${grouped(width)} pixels, ` +
      `${plural(samples, 'channel')}, ${plural(strips, 'strip')}, compression ${compression} instead of ${grouped(shape.height)} × ` +
      `${grouped(shape.width)} pixels, ${plural(shape.channels, 'channel')}, ${plural(expectedStrips, 'strip')}, compression ` +
      `${shape.compression}`,
  );
}

function readSide(page: TiffPage, code: number, name: string, where: string): number {
  const value = page.number(code) ?? 0;
  if (value >= 1 && value <= LIMITS.planeSide && Number.isInteger(value)) return value;
  throw decodeFailed(`${where}: ${name} is ${grouped(value)}; the page is corrupted`);
}

/** Without PlanarConfiguration, each channel has a strip, unless RowsPerStrip explains the same number of strips. */
function isInterleaved(page: TiffPage, strips: number, channels: number, height: number): boolean {
  const planar = page.number(TAG.planarConfiguration);
  if (planar !== undefined) return planar !== 2;
  return strips !== channels || Math.ceil(height / (page.number(TAG.rowsPerStrip) ?? height)) === strips;
}

const WIDTHS = new Set([8, 12, 16, 32]);
const TYPE_BITS: Record<number, number> = { 1: 8, 2: 16, 3: 16, 5: 32 };

/** Returns the stored bits of each channel: 12 significant bits take 16. */
function readBits(file: TiffFile, channels: number, dataTypes: DataTypes): number[] {
  const page = file.page(0);
  const listed = readBitsPerSample(file, page);
  const types = listed.length < channels ? dataTypes(channels) : undefined;
  const bits = Array.from({ length: channels }, (_, i) => {
    const typed = TYPE_BITS[types?.[i] ?? 0];
    return listed[i] ?? typed ?? listed[0] ?? 1;
  });
  const unknown = bits.find((width) => !WIDTHS.has(width));
  if (unknown !== undefined) {
    const label = pageLabel(page);
    throw unsupported(`${label}: samples of ${plural(unknown, 'bit')} are not supported; expected 8, 12, 16 or 32`);
  }
  return bits.map((width) => (width === 12 ? 16 : width));
}

/** Reads BitsPerSample. Two values fit in the entry itself, but old writers put the offset of the values there. */
function readBitsPerSample(file: TiffFile, page: TiffPage): number[] {
  const listed = page.numbers(TAG.bitsPerSample) ?? [];
  if (listed.length !== 2 || listed.every((width) => WIDTHS.has(width))) return listed;
  const offset = listed[0]! + listed[1]! * 0x10000;
  if (offset < 8 || offset + 4 > file.source.size) return listed;
  const view = new DataView(file.source.read(offset, 4).buffer);
  return [view.getUint16(0, true), view.getUint16(2, true)];
}
