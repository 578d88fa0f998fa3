/** What ImageJ reads beside the samples: the description, and its own metadata. */

import { concat, toLatin1, toUtf16 } from '../../base/bytes.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { cleanName } from '../../model/metadata/names.js';
import type { PlaneTable } from '../../model/metadata/plane-table.js';
import { isColorImage } from './imagej-samples.js';

/** ImageJ shows more channels one at a time. */
export const MAX_COMPOSITE = 7;
/** Look-up tables that are written. */
const MAX_LUTS = 1_024;
const LUT_ENTRIES = 256;
/** Characters of a channel name in a label. */
const MAX_LABEL_NAME = 60;
/** Digits of a time or position in a label. */
const LABEL_DIGITS = 9;

const UNITS: Partial<Record<Step['unit'], string>> = { micrometer: 'micron', seconds: 'sec' };

/** Returns the number of images in the stack, and its dimensions. A color image is one channel. */
export function stackSizes(scene: SceneInfo): { images: number; C: number; Z: number; T: number } {
  const { T, Z } = scene.sizes;
  const C = isColorImage(scene) ? 1 : scene.channels.length;
  return { images: C * Z * T, C, Z, T };
}

/** Returns the lines of the description: sizes, units, distances, intervals and the range of a single channel. */
export function toDescription(scene: SceneInfo): string {
  const { images, C, Z, T } = stackSizes(scene);
  const { steps, channels } = scene;
  const unit = UNITS[steps.X.unit] ?? 'pixel';
  const unitFor = (step: Step) => UNITS[step.unit] ?? 'pixel';
  const hasInterval = T > 1 && steps.T.unit === 'seconds';
  const isCalibrated = [steps.X, steps.Y, ...(Z > 1 ? [steps.Z] : [])].some((step) => UNITS[step.unit]);
  const [only] = channels;
  const lines: (string | false)[] = [
    'ImageJ=1.11a',
    images > 1 && `images=${images}`,
    C > 1 && `channels=${C}`,
    Z > 1 && `slices=${Z}`,
    T > 1 && `frames=${T}`,
    images > 1 && 'hyperstack=true',
    C > 1 && `mode=${displayMode(channels)}`,
    isCalibrated && `unit=${unit}`,
    isCalibrated && unitFor(steps.Y) !== unit && `yunit=${unitFor(steps.Y)}`,
    isCalibrated && Z > 1 && unitFor(steps.Z) !== unit && `zunit=${unitFor(steps.Z)}`,
    Z > 1 && UNITS[steps.Z.unit] !== undefined && `spacing=${steps.Z.step}`,
    hasInterval && `finterval=${steps.T.step}`,
    hasInterval && 'tunit=sec',
    hasInterval && `fps=${1 / steps.T.step}`,
    images > 1 && 'loop=false',
    C === 1 && only?.window !== undefined && `min=${only.window.start}`,
    C === 1 && only?.window !== undefined && `max=${only.window.end}`,
  ];
  return [...lines.filter((line) => line !== false), ''].join('\n');
}

function displayMode(channels: readonly ChannelInfo[]): 'composite' | 'color' | 'grayscale' {
  if (channels.every(({ color }) => color === undefined)) return 'grayscale';
  return channels.length <= MAX_COMPOSITE ? 'composite' : 'color';
}

/** Returns pixels per unit along X and Y; 1 for an axis without a unit beside one with a unit. */
export function pixelsPerUnit({ steps: { X, Y } }: SceneInfo): { x: number; y: number } | undefined {
  if (!UNITS[X.unit] && !UNITS[Y.unit]) return undefined;
  return { x: UNITS[X.unit] ? 1 / X.step : 1, y: UNITS[Y.unit] ? 1 / Y.step : 1 };
}

/** A kind of ImageJ's metadata, with the bytes of each of its items. */
export interface MetadataItems {
  /** Four letters. */
  type: string;
  items: readonly Uint8Array[];
}

/**
 * Returns a label for each image: the name of its channel, and when and how deep it was taken, as in
 * `GFP t=12.5 s z=3 µm`. None when they would say nothing.
 * @param table has one row for each plane, channels first, or is `undefined`
 */
export function toLabels(scene: SceneInfo, table: PlaneTable | undefined): MetadataItems {
  const { images, C } = stackSizes(scene);
  const { time, z } = table ?? {};
  if (C === 1 && !time && !z) return { type: 'labl', items: [] };
  const planesPerImage = scene.channels.length / C;
  const name = (image: number) => (C > 1 ? cleanName(scene.channels[image % C]?.name).slice(0, MAX_LABEL_NAME) : '');
  const value = (letter: string, column: Float64Array | undefined, row: number, unit: string) =>
    column && Number.isFinite(column[row]) ? `${letter}=${Number(column[row]!.toPrecision(LABEL_DIGITS))} ${unit}` : '';
  const items = Array.from({ length: images }, (_, image) => {
    const row = image * planesPerImage;
    const parts = [name(image), value('t', time, row, 's'), value('z', z, row, 'µm')];
    return toUtf16(parts.filter((part) => part !== '').join(' '));
  });
  return { type: 'labl', items };
}

/** Returns the ranges of all channels. @param windows of each channel */
export function toRanges(windows: readonly NonNullable<ChannelInfo['window']>[]): MetadataItems {
  const values = Float64Array.from(windows.flatMap(({ start, end }) => [start, end]));
  return { type: 'rang', items: values.length === 0 ? [] : [new Uint8Array(values.buffer)] };
}

/** Returns a table for each channel, from black to its color; white for one without. None when no channel has a color. */
export function toLuts(scene: SceneInfo): MetadataItems {
  const { channels } = scene;
  const none = channels.every(({ color }) => color === undefined) || channels.length > MAX_LUTS;
  if (none || isColorImage(scene)) return { type: 'luts', items: [] };
  return { type: 'luts', items: channels.map(({ color = '#FFFFFF' }) => toLut(color)) };
}

function toLut(color: string): Uint8Array {
  const lut = new Uint8Array(3 * LUT_ENTRIES);
  for (let component = 0; component < 3; component++) {
    const full = Number.parseInt(color.slice(1 + 2 * component, 3 + 2 * component), 16);
    for (let i = 0; i < LUT_ENTRIES; i++) lut[component * LUT_ENTRIES + i] = Math.round((full * i) / (LUT_ENTRIES - 1));
  }
  return lut;
}

export function toInfo(lines: readonly string[]): MetadataItems {
  return { type: 'info', items: lines.length === 0 ? [] : [toUtf16(`${lines.join('\n')}\n`)] };
}

/**
 * Returns the values of the tags 50838 (byte counts) and 50839: a header with the magic `JIJI` and pairs of type and count, then
 * the items. `undefined` without items.
 */
export function encodeMetadata(kinds: readonly MetadataItems[]): { counts: number[]; block: Uint8Array } | undefined {
  const used = kinds.filter(({ items }) => items.length > 0);
  if (used.length === 0) return undefined;
  const header = new Uint8Array(4 + 8 * used.length);
  header.set(toLatin1('JIJI'));
  const view = new DataView(header.buffer);
  for (const [i, { type, items }] of used.entries()) {
    header.set(toLatin1(type).reverse(), 4 + 8 * i);
    view.setUint32(8 + 8 * i, items.length, true);
  }
  const parts = [header, ...used.flatMap(({ items }) => items)];
  return { counts: parts.map(({ length }) => length), block: concat(parts) };
}
