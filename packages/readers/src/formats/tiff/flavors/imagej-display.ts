/** How ImageJ shows channels: look-up tables and ranges in its own metadata, which Micro-Manager writes too. */
import { type ChannelDisplay, rampColor } from '../../../model/metadata/colors.js';
import type { TiffPage } from '../../../tiff/types.js';
import { paletteColor } from '../metadata.js';
import { readDescription } from '../parse.js';
import type { ImageJMetadata } from './imagej-items.js';
import { parseImageJText } from './imagej-text.js';

/** Size of a look-up table: 256 red values, then 256 green, then 256 blue. */
const LUT_BYTES = 768;
/** Channels with look-up tables. ImageJ shows at most seven in color. */
const MAX_CHANNELS = 1_024;

/** Returns one entry per channel, or none if the metadata describe another number of channels. */
export function imageJDisplays(
  page: TiffPage,
  metadata: ImageJMetadata | undefined,
  channels: number,
): ChannelDisplay[] {
  if (channels > MAX_CHANNELS) return [];
  const luts = metadata?.items('luts', channels + 1) ?? [];
  const colors = luts.length === channels ? luts.map(lutColor) : [];
  if (colors.length === 0 && channels === 1) colors.push(paletteColor(page));
  const windows = readWindows(page, metadata, channels);
  return Array.from({ length: channels }, (_, i) => ({ color: colors[i], window: windows[i] }));
}

function lutColor(lut: Uint8Array): string | undefined {
  if (lut.length !== LUT_BYTES) return undefined;
  return rampColor(256, (i, component) => lut[256 * component + i]!);
}

/** Reads pairs of doubles. The text has the range of an image with one channel. */
function readWindows(
  page: TiffPage,
  metadata: ImageJMetadata | undefined,
  channels: number,
): ChannelDisplay['window'][] {
  const [item] = metadata?.items('rang', 1) ?? [];
  if (metadata && item?.length === 16 * channels) {
    const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
    const value = (index: number) => view.getFloat64(8 * index, metadata.littleEndian);
    return Array.from({ length: channels }, (_, i) => ({ start: value(2 * i), end: value(2 * i + 1) }));
  }
  const { min, max } = parseImageJText(readDescription(page));
  return channels === 1 && min !== undefined && max !== undefined ? [{ start: min, end: max }] : [];
}
