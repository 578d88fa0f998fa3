import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { pageLabel } from '../../tiff/page-label.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

/** What all image pages of a file have in common, from the first one. */
export interface ImageShape {
  width: number;
  height: number;
  channels: number;
  /** Bits of a stored sample of each channel: 8, 16 or 32. */
  bits: readonly number[];
  /** True when the samples of all channels lie side by side; else each channel has strips of its own. */
  interleaved: boolean;
  /** Strips of a channel, or of an interleaved page; 1 in all files of Zeiss. */
  strips: number;
  rowsPerStrip: number;
  compression: number;
}

/** ChannelDataTypes of the header for so many channels. */
type DataTypes = (channels: number) => readonly number[] | undefined;

/** @throws AcqError `decode_failed`, `unsupported_format`, `plane_too_large` */
export function readShape(file: TiffFile, page: TiffPage, dataTypes: DataTypes): ImageShape {
  const where = pageLabel(file, page);
  const width = side(page, TAG.imageWidth, 'ImageWidth', where);
  const height = side(page, TAG.imageLength, 'ImageLength', where);
  if (width * height > LIMITS.planePixels) {
    throw new AcqError('plane_too_large', `${where}: claims ${width} × ${height} pixels, more than can be read`);
  }
  const channels = page.number(TAG.samplesPerPixel) ?? 1;
  if (!(Number.isInteger(channels) && channels >= 1 && channels <= LIMITS.samplesPerPixel)) {
    throw decodeFailed(`${where}: claims ${channels} channels (1–${LIMITS.samplesPerPixel} are possible)`);
  }
  const found = page.tags.get(TAG.stripOffsets)?.count ?? 0;
  const interleaved = channels > 1 && isInterleaved(page, found, channels, height);
  const strips = interleaved ? found : found / channels;
  if (!(strips >= 1 && strips <= height && Number.isInteger(strips))) {
    throw decodeFailed(`${where}: names ${found} strips for ${channels} channels; it is damaged or unfinished`);
  }
  const rowsPerStrip = strips === 1 ? height : (page.number(TAG.rowsPerStrip) ?? height);
  if (!Number.isInteger(rowsPerStrip) || Math.ceil(height / rowsPerStrip) !== strips) {
    throw decodeFailed(`${where}: names ${strips} strips of ${rowsPerStrip} rows for ${height} rows`);
  }
  const bits = sampleBits(file, page, channels, dataTypes, where);
  if (interleaved && bits.some((one) => one !== bits[0])) {
    throw unsupported(`${where}: its interleaved channels differ in bits (${bits.join(', ')}), which is not read here`);
  }
  const compression = page.number(TAG.compression) ?? 1;
  return { width, height, channels, bits, interleaved, strips, rowsPerStrip, compression };
}

/** @throws AcqError `decode_failed` when `page` is unlike the first image */
export function expectShape(file: TiffFile, page: TiffPage, shape: ImageShape): void {
  const own = [TAG.imageWidth, TAG.imageLength].map((code) => page.number(code));
  const samples = page.number(TAG.samplesPerPixel) ?? 1;
  const compression = page.number(TAG.compression) ?? 1;
  const strips = page.tags.get(TAG.stripOffsets)?.count ?? 0;
  const wanted = shape.strips * (shape.interleaved ? 1 : shape.channels);
  const same =
    own[0] === shape.width &&
    own[1] === shape.height &&
    samples === shape.channels &&
    compression === shape.compression &&
    strips === wanted;
  if (same) return;
  throw decodeFailed(
    `${pageLabel(file, page)}: has ${own[1]} lines of ${own[0]} pixels, ${samples} channels in ${strips} strips, ` +
      `unlike the first image with ${shape.height} of ${shape.width}, ${shape.channels} in ${wanted}`,
  );
}

function side(page: TiffPage, code: number, name: string, where: string): number {
  const value = page.number(code) ?? 0;
  if (value >= 1 && value <= LIMITS.planeSide && Number.isInteger(value)) return value;
  throw decodeFailed(`${where}: ${name} is ${value}; it is no image or its IFD is damaged`);
}

/** Without PlanarConfiguration, as many strips as channels are one each, unless so many rows per strip explain them. */
function isInterleaved(page: TiffPage, strips: number, channels: number, height: number): boolean {
  const planar = page.number(TAG.planarConfiguration);
  if (planar !== undefined) return planar !== 2;
  return strips !== channels || Math.ceil(height / (page.number(TAG.rowsPerStrip) ?? height)) === strips;
}

const WIDTHS = new Set([8, 12, 16, 32]);
const TYPE_BITS: Record<number, number> = { 1: 8, 2: 16, 3: 16, 5: 32 };

/** Bits of every channel as stored: 12 significant bits take 16. */
function sampleBits(file: TiffFile, page: TiffPage, channels: number, dataTypes: DataTypes, where: string): number[] {
  const listed = listedBits(file, page);
  const types = listed.length < channels ? dataTypes(channels) : undefined;
  const bits = Array.from({ length: channels }, (_, i) => {
    const typed = TYPE_BITS[types?.[i] ?? 0];
    return listed[i] ?? typed ?? listed[0] ?? 1;
  });
  const odd = bits.find((one) => !WIDTHS.has(one));
  if (odd !== undefined) throw unsupported(`${where}: has ${odd} bits per sample; 8, 12, 16 and 32 are read`);
  return bits.map((one) => (one === 12 ? 16 : one));
}

/** Two values fit into the entry itself, yet old writers put the offset of the values there. */
function listedBits(file: TiffFile, page: TiffPage): number[] {
  const listed = page.numbers(TAG.bitsPerSample) ?? [];
  if (listed.length !== 2 || listed.every((one) => WIDTHS.has(one))) return listed;
  const offset = (listed[0] as number) + (listed[1] as number) * 0x10000;
  if (offset < 8 || offset + 4 > file.source.size) return listed;
  const view = new DataView(file.source.read(offset, 4).buffer);
  return [view.getUint16(0, true), view.getUint16(2, true)];
}
