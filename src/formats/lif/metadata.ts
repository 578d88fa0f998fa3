/** From a layout and the raw description to a scene: names, steps, date. Pure. */

import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { type ChannelDisplay, channelsShown, namedColor } from '../../metadata/colors.js';
import { NO_CLOCK, type WallClock, wallClockOf } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep } from '../../metadata/steps.js';
import type { RawDimension, RawImage } from './document.js';
import { type Axis, entriesOf, FOLDED_NAMES, type ImageLayout, indicesAt } from './layout.js';
import { frameInterval, linePeriod, stampMilliseconds } from './times.js';

/** What a channel of a color image is, by `ChannelTag`. */
const SAMPLES: Readonly<Record<number, string>> = { 1: 'Red', 2: 'Green', 3: 'Blue' };

/** Everything but what the entries of the folded axes differ in. `saved` is the time of the project. */
export function toScene(image: RawImage, layout: ImageLayout, saved: bigint | undefined): SceneInfo {
  const warnings = [...layout.warnings];
  const clock = clockOf(image, saved);
  return {
    name: image.path.filter((name) => name !== '').join('/'),
    sampleType: layout.sampleType,
    channels: channelsOf(image, layout, warnings),
    sizes: { T: layout.t.count, Z: layout.z.count, Y: layout.rows.count, X: layout.columns.count },
    steps: {
      T: frameInterval(image, layout, warnings),
      Z: lengthStep(layout.z, 'Z', warnings, 'Planes'),
      Y:
        layout.rowAxis === 'T'
          ? linePeriod(image, layout, warnings)
          : lengthStep(layout.rows, rowName(layout), warnings),
      X: lengthStep(layout.columns, 'X', warnings),
    },
    ...depthRows(layout.rowAxis === 'Z', warnings),
    date: clock.date,
    time: clock.time,
    reference: null,
    warnings,
  };
}

/** Name of entry `index` of the folded axes: ` tile 3`; empty without such axes. */
export function foldedName(layout: ImageLayout, index: number): string {
  const at = indicesAt(layout.folded, index);
  return layout.folded
    .map(({ id }, i) => ` ${FOLDED_NAMES[id] ?? `dimension ${id}`} ${(at[i] as number) + 1}`)
    .join('');
}

function rowName({ rowAxis }: ImageLayout): string {
  return rowAxis === 'Z' ? 'Y (depth)' : 'Y';
}

/** Distance of neighbours: `Length` reaches from the first to the last of them, and may run backwards. */
export function spacingOf({ length, count }: RawDimension): number | undefined {
  if (!Number.isFinite(length) || count < 2) return undefined;
  return Math.abs(length) / (count - 1);
}

function lengthStep(axis: Axis, name: string, warnings: string[], fallback: 'Pixels' | 'Planes' = 'Pixels'): Step {
  const { raw } = axis;
  const spacing = raw && spacingOf(raw);
  if (!raw || !spacing) return defaultStep(fallback);
  return fileStep(spacing, raw.unit, { what: `${name} step`, warnings, fallback, expect: 'micrometer' });
}

/** Wall clock of the first frame in UTC, else of the project: the file holds no time zone. */
function clockOf(image: RawImage, saved: bigint | undefined): WallClock {
  const first = image.stamps[0];
  const milliseconds = first === undefined ? undefined : stampMilliseconds(first);
  const clock = milliseconds === undefined ? undefined : wallClockOf(milliseconds);
  if (clock) return clock;
  const project = saved === undefined ? undefined : stampMilliseconds(saved.toString(16));
  return (project === undefined ? undefined : wallClockOf(project)) ?? NO_CLOCK;
}

function channelsOf(image: RawImage, layout: ImageLayout, warnings: string[]): ChannelInfo[] {
  const own = layout.channels.map(({ index }) => describeChannel(image, index));
  const displays = own.map(({ display }) => display);
  const count = entriesOf(layout.lambdas);
  if (layout.lambdas.length === 0) return channelsShown(channelsNamed(own.map(({ name }) => name)), displays);
  const labels = Array.from({ length: count }, (_, i) => wavelengthName(layout, i));
  warnings.push(
    `A wavelength scan: ${own.length} channel${own.length === 1 ? '' : 's'} at ${count} wavelength${count === 1 ? '' : 's'} ` +
      `are served as ${own.length * count} channels.`,
  );
  const names = own.flatMap(({ name }, c) => labels.map((label) => `${name || `CH${c + 1}`} ${label}`));
  return channelsShown(
    channelsNamed(names),
    displays.flatMap((display) => labels.map(() => display)),
  );
}

/**
 * Named by the dye of the channel, else of its detector, else the detector, else the color table. A detector for
 * transmitted light is called so by the vendor: `PMT Trans`.
 */
function describeChannel(image: RawImage, index: number): { name: string | undefined; display: ChannelDisplay } {
  const channel = image.channels[index];
  const detectors = image.settings?.detectors ?? [];
  // Detectors are listed, not linked: they can only be told when there are as many as channels.
  const detector = detectors.length === image.channels.length ? detectors[index] : undefined;
  const sample = SAMPLES[channel?.tag ?? 0];
  return {
    name: dyeName(channel?.dye) || dyeName(detector?.dye) || sample || detector?.name || channel?.lut || undefined,
    display: {
      color: namedColor(sample ?? channel?.lut),
      role: /\btrans\b/i.test(detector?.name ?? '') ? 'transmitted' : undefined,
    },
  };
}

/** Dyes of the vendor's own database are written `Leica/FITC`. */
function dyeName(dye: string | undefined): string {
  return (dye ?? '').replace(/^Leica\//, '');
}

function wavelengthName({ lambdas }: ImageLayout, index: number): string {
  const at = indicesAt(lambdas, index);
  return lambdas
    .map(({ raw }, i) => {
      const spacing = raw && spacingOf(raw);
      if (!raw || spacing === undefined || raw.unit !== 'm') return `λ${(at[i] as number) + 1}`;
      const metres = raw.origin + (Math.sign(raw.length) || 1) * spacing * (at[i] as number);
      return Number.isFinite(metres) ? `${Number((metres * 1e9).toFixed(2))} nm` : `λ${(at[i] as number) + 1}`;
    })
    .join(' ');
}
