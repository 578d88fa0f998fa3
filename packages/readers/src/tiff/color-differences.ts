import { type AcqError, decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { TAG } from './tags.js';
import type { ColorDifferences, PageLayout, TiffPage } from './types.js';

const YCBCR = 6;
const FACTORS = [1, 2, 4];
/** Codecs that convert the colors themselves, or whose streams say how they are stored. */
const IMAGE_COMPRESSIONS = new Set([7, 33007, 33003, 33004, 33005, 34712, 22610, 34934, 34927, 50001]);
const OLD_JPEG = 6;

/**
 * Returns how the colors of a YCbCr page are stored in its bytes (TIFF 6.0, section 21); `undefined` for other pages.
 * @throws AcqError `decode_failed` for impossible blocks
 */
export function findColorDifferences(
  page: Pick<TiffPage, 'numbers'>,
  { photometric, samplesPerPixel, compression }: Pick<PageLayout, 'photometric' | 'samplesPerPixel' | 'compression'>,
  where: string,
): ColorDifferences | undefined {
  if (photometric !== YCBCR || samplesPerPixel !== 3) return undefined;
  if (compression === OLD_JPEG || IMAGE_COMPRESSIONS.has(compression)) return undefined;
  const [across = 2, down = 2] = page.numbers(TAG.yCbCrSubSampling) ?? [];
  if (!FACTORS.includes(across) || !FACTORS.includes(down)) {
    throw decodeFailed(`${where}: YCbCrSubSampling is ${grouped(across)} × ${grouped(down)}; expected 1, 2 or 4`);
  }
  return { across, down };
}

/**
 * Checks that the colors of a page can be converted to RGB.
 * @throws AcqError `unsupported_format`
 */
export function checkColorDifferences({ layout }: TiffPage, where: string): void {
  const { colorDifferences, planar, sampleType, bits, predictor } = layout;
  if (!colorDifferences) return;
  if (planar) throw notSupported(where, 'in separate planes');
  if (sampleType !== 'uint8' || bits !== 8) throw notSupported(where, `of ${bits} bits`);
  if (predictor !== 1) throw notSupported(where, 'with a predictor');
}

function notSupported(where: string, what: string): AcqError {
  return unsupported(`${where}: YCbCr colors ${what} are not supported. Save it as RGB.`);
}

/** Returns the bytes of rows of a chunk: blocks of `across` × `down` brightnesses, each with one Cb and one Cr. */
export function differenceBytes(width: number, rows: number, { across, down }: ColorDifferences): number {
  return Math.ceil(width / across) * Math.ceil(rows / down) * (across * down + 2);
}

/** Converts the blocks of a chunk to RGB, interleaved. */
export type ToRgb = (stored: Uint8Array, rows: number) => Uint8Array;

/** Pixels of a block share its colors, as in libtiff. */
export function rgbOfDifferences(page: TiffPage, { across, down }: ColorDifferences): ToRgb {
  const colors = new ColorTables(page);
  const width = page.layout.chunkWidth;
  const block = across * down + 2;
  const blocks = Math.ceil(width / across);
  return (stored, rows) => {
    const rgb = new Uint8Array(width * rows * 3);
    for (let y = 0, to = 0; y < rows; y++) {
      const row = Math.floor(y / down) * blocks * block + (y % down) * across;
      for (let x = 0; x < width; x++, to += 3) {
        const column = x % across;
        const at = row + ((x - column) / across) * block;
        const shared = at - (y % down) * across + across * down;
        colors.put(rgb, to, stored[at + column]!, stored[shared]!, stored[shared + 1]!);
      }
    }
    return rgb;
  };
}

/** Converts pixels of Y, Cb and Cr to RGB in place. */
export function rgbInPlace(page: TiffPage): (pixels: Uint8Array) => void {
  const colors = new ColorTables(page);
  return (pixels) => {
    for (let i = 0; i + 2 < pixels.length; i += 3) colors.put(pixels, i, pixels[i]!, pixels[i + 1]!, pixels[i + 2]!);
  };
}

const SHARE_OF_RED_GREEN_BLUE = [0.299, 0.587, 0.114];
const FULL_RANGE = [0, 255, 128, 255, 128, 255];

/** The conversion of TIFF 6.0 section 21 in whole numbers, rounded as libtiff rounds. */
class ColorTables {
  private readonly brightness = new Int32Array(256);
  private readonly crToRed = new Int32Array(256);
  private readonly cbToBlue = new Int32Array(256);
  private readonly crToGreen = new Int32Array(256);
  private readonly cbToGreen = new Int32Array(256);

  constructor(page: TiffPage) {
    const shares = readValues(page, TAG.yCbCrCoefficients, 3) ?? SHARE_OF_RED_GREEN_BLUE;
    const range = readValues(page, TAG.referenceBlackWhite, 6) ?? FULL_RANGE;
    const [red, green, blue] = shares as [number, number, number];
    const [yBlack, yWhite, cbBlack, cbWhite, crBlack, crWhite] = range as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const fixed = (factor: number) => Math.trunc(factor * 65_536 + 0.5);
    const [toRed, toBlue] = [clamp(2 - 2 * red, 0, 2), clamp(2 - 2 * blue, 0, 2)];
    const greenOfCr = -fixed(clamp((red * toRed) / green, 0, 2));
    const greenOfCb = -fixed(clamp((blue * toBlue) / green, 0, 2));
    for (let code = 0; code < 256; code++) {
      const cr = scaled(code - 128, crBlack - 128, crWhite - 128, 127);
      const cb = scaled(code - 128, cbBlack - 128, cbWhite - 128, 127);
      this.brightness[code] = scaled(code, yBlack, yWhite, 255);
      this.crToRed[code] = (fixed(toRed) * cr + 32_768) >> 16;
      this.cbToBlue[code] = (fixed(toBlue) * cb + 32_768) >> 16;
      this.crToGreen[code] = greenOfCr * cr;
      this.cbToGreen[code] = greenOfCb * cb + 32_768;
    }
  }

  put(rgb: Uint8Array, at: number, y: number, cb: number, cr: number): void {
    const brightness = this.brightness[y]!;
    rgb[at] = clamp(brightness + this.crToRed[cr]!, 0, 255);
    rgb[at + 1] = clamp(brightness + ((this.cbToGreen[cb]! + this.crToGreen[cr]!) >> 16), 0, 255);
    rgb[at + 2] = clamp(brightness + this.cbToBlue[cb]!, 0, 255);
  }
}

/** @returns a value relative to black and white, which count as whole numbers */
function scaled(code: number, black: number, white: number, full: number): number {
  const [from, to] = [Math.trunc(black), Math.trunc(white)];
  const value = Math.trunc(((code - from) * full) / (to - from || 1));
  return clamp(value, -32_768, 32_767);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function readValues(page: TiffPage, code: number, count: number): number[] | undefined {
  const values = page.numbers(code)?.slice(0, count);
  return values?.length === count && values.every(Number.isFinite) ? values : undefined;
}
