import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { planeTooLarge } from '../base/plane-size.js';
import { grouped } from '../base/wording.js';
import type { SampleType } from '../model/samples/types.js';
import { checkPlausible } from './chunk-table.js';
import { findColorDifferences } from './color-differences.js';
import { pageLabel } from './page-label.js';
import { TAG } from './tags.js';
import type { PageLayout, TiffFile, TiffPage } from './types.js';

/** The parts of a page that `buildLayout` reads, before the page has a layout. */
type LayoutTags = Pick<TiffPage, 'number' | 'numbers' | 'bytes' | 'tags' | 'lostTags' | 'ifdOffset' | 'index'>;

/**
 * Derives the geometry and sample type of a page from its tags, with the defaults of TIFF 6.0.
 * @throws AcqError `decode_failed` for invalid values, `unsupported_format` for complex, mixed or volumetric samples,
 * `plane_too_large` above the limits of a plane
 */
export function buildLayout(file: TiffFile, page: LayoutTags): PageLayout {
  const where = pageLabel(page);
  const width = requirePositive(page, TAG.imageWidth, 'ImageWidth', where);
  const height = requirePositive(page, TAG.imageLength, 'ImageLength', where);
  const tooLarge = planeTooLarge({ Y: height, X: width });
  if (tooLarge) throw tooLarge.restated(`${where}: ${tooLarge.statement}`);
  if ((page.number(TAG.imageDepth) ?? 1) > 1) {
    throw unsupported(
      `${where} is a volume of ${page.number(TAG.imageDepth)} slices (ImageDepth), which is not supported`,
    );
  }
  const samplesPerPixel = page.number(TAG.samplesPerPixel) ?? 1;
  if (!isWhole(samplesPerPixel, LIMITS.samplesPerPixel)) {
    throw decodeFailed(
      `${where} has ${grouped(samplesPerPixel)} samples per pixel; 1 to ${grouped(LIMITS.samplesPerPixel)} are supported`,
    );
  }
  const compression = page.number(TAG.compression) ?? 1;
  const photometric = page.number(TAG.photometric) ?? 1;
  const layout: PageLayout = {
    width,
    height,
    samplesPerPixel,
    ...sampleKind(page, samplesPerPixel, where),
    compression,
    photometric,
    colorDifferences: findColorDifferences(page, { photometric, samplesPerPixel, compression }, where),
    planar: samplesPerPixel > 1 && page.number(TAG.planarConfiguration) === 2,
    predictor: page.number(TAG.predictor) ?? 1,
    fillOrder: page.number(TAG.fillOrder) ?? 1,
    ...chunkShape(page, width, height, where),
    reduced: ((page.number(TAG.newSubfileType) ?? 0) & 1) === 1 || page.number(TAG.subfileType) === 2,
    mask: ((page.number(TAG.newSubfileType) ?? 0) & 4) === 4,
  };
  refuseLostTags(page.lostTags, layout, where);
  checkPlausible(file, page, layout, where);
  return layout;
}

/** The default of a lost tag would give samples that differ from the stored ones. */
function refuseLostTags(lost: ReadonlySet<number>, layout: PageLayout, where: string): void {
  const candidates: [code: number, name: string, used: boolean][] = [
    [TAG.bitsPerSample, 'BitsPerSample', true],
    [TAG.compression, 'Compression', true],
    [TAG.samplesPerPixel, 'SamplesPerPixel', true],
    [TAG.rowsPerStrip, 'RowsPerStrip', !layout.tiled],
    [TAG.planarConfiguration, 'PlanarConfiguration', layout.samplesPerPixel > 1],
    [TAG.predictor, 'Predictor', layout.compression !== 1],
    [TAG.sampleFormat, 'SampleFormat', true],
  ];
  const names = candidates.filter(([code, , used]) => used && lost.has(code)).map(([, name]) => name);
  if (names.length > 0)
    throw decodeFailed(`${where}: an entry of the IFD is corrupted, possibly ${names.join(' or ')}`);
}

function requirePositive(page: LayoutTags, code: number, name: string, where: string): number {
  const value = page.number(code);
  if (value === undefined)
    throw decodeFailed(`${where}: ${name} is missing; the page is not an image, or its IFD is corrupted`);
  if (!isWhole(value, Number.MAX_SAFE_INTEGER))
    throw decodeFailed(`${where}: ${name} is ${grouped(value)}; expected a positive whole number`);
  return value;
}

function isWhole(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function chunkShape(page: LayoutTags, width: number, height: number, where: string) {
  const tiled = page.tags.has(TAG.tileWidth);
  if (!tiled) {
    const rows = page.number(TAG.rowsPerStrip) ?? height;
    if (!isWhole(rows, Number.MAX_SAFE_INTEGER))
      throw decodeFailed(`${where}: RowsPerStrip is ${grouped(rows)}; expected a positive whole number`);
    return { tiled, chunkWidth: width, chunkHeight: Math.min(rows, height) };
  }
  const chunkWidth = requirePositive(page, TAG.tileWidth, 'TileWidth', where);
  const chunkHeight = requirePositive(page, TAG.tileLength, 'TileLength', where);
  if (chunkWidth * chunkHeight > LIMITS.chunkBytes) {
    throw decodeFailed(
      `${where} has tiles of ${grouped(chunkWidth)} × ${grouped(chunkHeight)} pixels; the limit is ${grouped(LIMITS.chunkBytes)} in total`,
    );
  }
  return { tiled, chunkWidth, chunkHeight };
}

type SampleKind = Pick<PageLayout, 'bits' | 'sampleFormat' | 'sampleType'>;

function sampleKind(page: LayoutTags, samplesPerPixel: number, where: string): SampleKind {
  const bits = requireUniform(page.numbers(TAG.bitsPerSample), samplesPerPixel, 1, 'BitsPerSample', where);
  const format = requireUniform(page.numbers(TAG.sampleFormat), samplesPerPixel, 1, 'SampleFormat', where);
  if (!isWhole(bits, 64)) {
    if (format === 6 && bits === 128) throw unsupported(`${where} contains complex numbers, which are not supported`);
    throw decodeFailed(`${where} has ${grouped(bits)} bits per sample; 1 to 64 are supported`);
  }
  if (format === 5 || format === 6) throw unsupported(`${where} contains complex numbers, which are not supported`);
  if (format === 3) {
    const sampleType = FLOATS[bits];
    if (!sampleType)
      throw unsupported(`${where} has ${bits}-bit floating point samples; 16, 24, 32 and 64 bits are supported`);
    return { bits, sampleFormat: 'float', sampleType };
  }
  // 1 is unsigned, 4 is undefined (which every reader takes as unsigned), and others are not in the standard.
  if (format !== 1 && format !== 2 && format !== 4) throw decodeFailed(`${where}: SampleFormat ${format} is invalid`);
  const sampleFormat = format === 2 ? 'int' : 'uint';
  return { bits, sampleFormat, sampleType: `${sampleFormat}${wholeBits(bits)}` };
}

const FLOATS: Record<number, SampleType> = { 16: 'float16', 24: 'float32', 32: 'float32', 64: 'float64' };

/** Returns the width of the smallest whole type for `bits`. */
function wholeBits(bits: number): 8 | 16 | 32 | 64 {
  if (bits <= 8) return 8;
  if (bits <= 16) return 16;
  return bits <= 32 ? 32 : 64;
}

function requireUniform(
  values: number[] | undefined,
  samples: number,
  fallback: number,
  name: string,
  where: string,
): number {
  const first = values?.[0];
  if (values === undefined || first === undefined) return fallback;
  if (values.slice(0, samples).some((value) => value !== first)) {
    throw unsupported(
      `${where}: its samples have different ${name} (${values.slice(0, samples).join(', ')}), which is not supported`,
    );
  }
  return first;
}
