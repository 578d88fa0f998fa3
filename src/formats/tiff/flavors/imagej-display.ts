/** How ImageJ shows channels: look-up tables and ranges of its own metadata. Micro-Manager writes them too. */
import { type ChannelDisplay, rampColor } from '../../../metadata/colors.js';
import type { TiffPage } from '../../../tiff/types.js';
import { paletteColor } from '../palette.js';
import { textOf } from '../soft-tags.js';
import type { ImageJMetadata } from './imagej-items.js';
import { parseImageJText } from './imagej-text.js';

const DESCRIPTION = 270;
/** Red, green and blue of 256 entries, one after the other. */
const LUT_BYTES = 768;
/** More channels than these have no look-up tables: ImageJ shows at most seven in color. */
const MAX_CHANNELS = 1_024;

/** One for each channel; empty when the metadata are those of another number of channels. */
export function imageJDisplays(
  page: TiffPage,
  metadata: ImageJMetadata | undefined,
  channels: number,
): ChannelDisplay[] {
  if (channels > MAX_CHANNELS) return [];
  const luts = metadata?.items('luts', channels + 1) ?? [];
  const colors = luts.length === channels ? luts.map(lutColor) : [];
  if (colors.length === 0 && channels === 1) colors.push(paletteColor(page));
  const windows = rangesOf(page, metadata, channels);
  return Array.from({ length: channels }, (_, i) => ({ color: colors[i], window: windows[i] }));
}

function lutColor(lut: Uint8Array): string | undefined {
  if (lut.length !== LUT_BYTES) return undefined;
  return rampColor(256, (i) => [lut[i] as number, lut[256 + i] as number, lut[512 + i] as number]);
}

/** Pairs of doubles; the text has the range of an image of one channel. */
function rangesOf(page: TiffPage, metadata: ImageJMetadata | undefined, channels: number): ChannelDisplay['window'][] {
  const [item] = metadata?.items('rang', 1) ?? [];
  if (metadata && item?.length === 16 * channels) {
    const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
    const value = (index: number) => view.getFloat64(8 * index, metadata.littleEndian);
    return Array.from({ length: channels }, (_, i) => ({ start: value(2 * i), end: value(2 * i + 1) }));
  }
  const { min, max } = parseImageJText(textOf(page, DESCRIPTION));
  return channels === 1 && min !== undefined && max !== undefined ? [{ start: min, end: max }] : [];
}
