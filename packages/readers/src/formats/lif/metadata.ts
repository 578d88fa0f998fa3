/** Turns laid-out images into scenes: names, steps, dates and overviews. Pure. */

import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { ChannelInfo, ChannelOptics, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes } from '../../model/metadata/axes.js';
import { type ChannelDisplay, channelsShown, namedColor } from '../../model/metadata/colors.js';
import { NO_CLOCK, toIsoUtc, type WallClock, wallClockOf } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed, uniqueNames } from '../../model/metadata/names.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import { countEntries, type DataAxis, type ImageLayout, indicesAt, SCENE_AXIS_NAMES } from './layout.js';
import type { RawLifDimension, RawLifImage } from './parse.js';
import { findReference, toReference } from './reference.js';
import { linePeriod, resolveFrames, stampToMilliseconds } from './times.js';
import type { LifImage, LifScene } from './types.js';

/** Names of the channels of a color image by `ChannelTag`. */
const SAMPLES: Readonly<Record<number, string>> = { 1: 'Red', 2: 'Green', 3: 'Blue' };

/** Returns a scene for each image, or for each part of an image that has tiles, rotations or loops. */
export function toScenes(images: readonly LifImage[], shared: Notes): LifScene[] {
  const scenes: LifScene[] = [];
  const infos = new Map(images.map((image) => [image, toSceneInfo(image)]));
  for (const [index, image] of images.entries()) {
    const info = infos.get(image)!;
    const notes = new Notes();
    notes.addAll(info.warnings);
    const frame = findReference(images, index);
    const reference = frame ? toReference(image, frame, infos.get(frame)!) : null;
    if (reference?.lineRoi) {
      notes.add(
        'The line on the reference image is assumed to be in the middle of the scan field, because both were recorded at ' +
          'the same stage position, pan and rotation.',
      );
    }
    notes.addAll(shared);
    const parts = Math.min(countEntries(image.layout.sceneAxes), LIMITS.scenes - scenes.length);
    for (let part = 0; part < parts; part++) {
      const name = `${info.name}${partName(image.layout, part)}`;
      scenes.push({ info: { ...info, name, reference, warnings: notes.list() }, image, part, reference: frame });
    }
  }
  const names = uniqueNames(scenes.map(({ info }) => info.name));
  return scenes.map((scene, i) => ({ ...scene, info: { ...scene.info, name: names[i]! } }));
}

/** Returns what all parts of an image have in common. */
function toSceneInfo({ raw, layout, saved }: LifImage): SceneInfo {
  const notes = new Notes();
  notes.addAll(layout.warnings);
  const { date, time } = readClock(raw, saved);
  const channels = toChannels(raw, layout, notes);
  const steps = toSteps(raw, layout, notes);
  const rows = depthRows(layout.rowAxis === 'Z', notes);
  return {
    name: raw.path.filter((name) => name !== '').join('/'),
    sampleType: layout.sampleType,
    channels,
    sizes: { T: layout.t.count, Z: layout.z.count, Y: layout.rows.count, X: layout.columns.count },
    ...steps,
    ...toInstrument({ ...raw.settings?.instrument, start: startOf(raw) }),
    ...rows,
    date,
    time,
    reference: null,
    warnings: notes.list(),
  };
}

function toSteps(raw: RawLifImage, layout: ImageLayout, notes: Notes): Pick<SceneInfo, 'steps' | 'coordinates'> {
  const rowName = layout.rowAxis === 'Z' ? 'Y (depth)' : 'Y';
  const time = resolveFrames(raw, layout, notes);
  return {
    steps: {
      T: time.step,
      Z: lengthStep(layout.z, 'Z', notes, 'Planes'),
      Y: layout.rowAxis === 'T' ? linePeriod(raw, layout, notes) : lengthStep(layout.rows, rowName, notes),
      X: lengthStep(layout.columns, 'X', notes),
    },
    ...measuredAxes({ T: time }),
  };
}

/** Returns the end of a scene's name, such as ` tile 3`; empty when the image is not divided into scenes. */
function partName({ sceneAxes }: ImageLayout, part: number): string {
  const at = indicesAt(sceneAxes, part);
  return sceneAxes.map(({ id }, i) => ` ${SCENE_AXIS_NAMES[id] ?? `dimension ${id}`} ${at[i]! + 1}`).join('');
}

/** Returns the distance between neighbors: `Length` is that from the first to the last entry, and may be negative. */
function toSpacing({ length, count }: RawLifDimension): number | undefined {
  if (!Number.isFinite(length) || count < 2) return undefined;
  return Math.abs(length) / (count - 1);
}

function lengthStep(axis: DataAxis, name: string, notes: Notes, fallback: 'Pixels' | 'Planes' = 'Pixels'): Step {
  const { raw } = axis;
  const spacing = raw && toSpacing(raw);
  if (!raw || !spacing) return defaultStep(fallback);
  return fileStep(spacing, raw.unit, { what: `${name} step`, warnings: notes, fallback, expect: 'micrometer' });
}

/** Returns the time of the first frame, or else of the project, in UTC: the file does not contain a time zone. */
function readClock(image: RawLifImage, saved: bigint | undefined): WallClock {
  const first = image.stamps[0];
  const milliseconds = first === undefined ? undefined : stampToMilliseconds(first);
  const clock = milliseconds === undefined ? undefined : wallClockOf(milliseconds);
  if (clock) return clock;
  const project = saved === undefined ? undefined : stampToMilliseconds(saved.toString(16));
  return (project === undefined ? undefined : wallClockOf(project)) ?? NO_CLOCK;
}

/** Time stamps are in UTC. */
function startOf({ stamps: [first] }: RawLifImage): string | undefined {
  return toIsoUtc(first === undefined ? undefined : stampToMilliseconds(first));
}

function toChannels(image: RawLifImage, layout: ImageLayout, notes: Notes): ChannelInfo[] {
  const channels = layout.channels.map(({ index }) => describeChannel(image, index));
  const displays = channels.map(({ display }) => display);
  if (layout.wavelengthAxes.length === 0) {
    const shown = channelsShown(channelsNamed(channels.map(({ name }) => name)), displays);
    return shown.map((channel, i) => ({ ...channel, ...channels[i]!.optics }));
  }
  const count = countEntries(layout.wavelengthAxes);
  const labels = Array.from({ length: count }, (_, i) => wavelengthName(layout, i));
  notes.add(
    `This is a wavelength scan: ${plural(channels.length, 'channel')} at ${plural(count, 'wavelength')} are shown as ` +
      `${plural(channels.length * count, 'channel')}.`,
  );
  const names = channels.flatMap(({ name }, c) => labels.map((label) => `${name || `CH${c + 1}`} ${label}`));
  return channelsShown(
    channelsNamed(names),
    displays.flatMap((display) => labels.map(() => display)),
  );
}

interface DescribedChannel {
  name: string | undefined;
  display: ChannelDisplay;
  optics: ChannelOptics;
}

/**
 * A channel is named after its dye, the dye of its detector, the detector, or the color table, whichever exists first.
 * The vendor calls a detector for transmitted light `PMT Trans`.
 */
function describeChannel(image: RawLifImage, index: number): DescribedChannel {
  const channel = image.channels[index];
  const detectors = image.settings?.detectors ?? [];
  // Detectors are listed without a link to channels, so they are used only when there are as many as channels.
  const detector = detectors.length === image.channels.length ? detectors[index] : undefined;
  const sample = SAMPLES[channel?.tag ?? 0];
  return {
    optics: toOptics({ ...detector?.optics, fluorophore: dyeName(channel?.dye) || dyeName(detector?.dye) }),
    name: dyeName(channel?.dye) || dyeName(detector?.dye) || sample || detector?.name || channel?.lut || undefined,
    display: {
      color: namedColor(sample ?? channel?.lut),
      role: /\btrans\b/i.test(detector?.name ?? '') ? 'transmitted' : undefined,
    },
  };
}

/** Removes the prefix of dyes in the vendor's database, such as `Leica/FITC`. */
function dyeName(dye: string | undefined): string {
  return (dye ?? '').replace(/^Leica\//, '');
}

function wavelengthName({ wavelengthAxes }: ImageLayout, index: number): string {
  const at = indicesAt(wavelengthAxes, index);
  return wavelengthAxes
    .map(({ raw }, i) => {
      const numbered = `λ${at[i]! + 1}`;
      const spacing = raw && toSpacing(raw);
      if (!raw || spacing === undefined || raw.unit !== 'm') return numbered;
      const meters = raw.origin + (Math.sign(raw.length) || 1) * spacing * at[i]!;
      return Number.isFinite(meters) ? `${Number((meters * 1e9).toFixed(2))} nm` : numbered;
    })
    .join(' ');
}
