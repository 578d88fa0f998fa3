import { type GridAxis, toIndices } from '../../../metadata/mixed-radix.js';
import type { ImageJMetadata } from './imagej-items.js';

/** `GFP t=12.5 s z=3 µm`: our own exports say when and how deep a plane was taken. */
const LABEL = /^(.*?) ?(?:\bt=([-+.\de]{1,25}) s)? ?(?:\bz=([-+.\de]{1,25}) µm)?$/;

/** Labels that are read for the names of channels; more do not help to distinguish channels. */
const MAX_NAMES = 10_000;
/** Labels that are read for times and depths: as many as our own exports write. */
const MAX_MEASURED = 100_000;

interface PlaneLabel {
  name: string;
  /** Seconds; `NaN` without one. */
  time: number;
  /** Micrometers; `NaN` without one. */
  depth: number;
}

function parseLabel(label: string): PlaneLabel {
  const [, name = label, time, depth] = LABEL.exec(label.trim()) ?? [];
  return { name: name.trim(), time: Number(time ?? Number.NaN), depth: Number(depth ?? Number.NaN) };
}

/** Returns the times and depths in slice labels: of the first plane of each time point, and of each section. */
export function measuredByLabels(
  labels: readonly string[],
  axes: readonly GridAxis[],
  sizes: { T: number; Z: number },
): { T?: Float64Array; Z?: Float64Array } {
  const { time, depth } = parseLabel(labels[0] ?? '');
  const T = new Float64Array(Number.isNaN(time) ? 0 : sizes.T).fill(Number.NaN);
  const Z = new Float64Array(Number.isNaN(depth) ? 0 : sizes.Z).fill(Number.NaN);
  for (const [plane, label] of labels.entries()) {
    const at = toIndices(axes, plane);
    if (at.C !== 0 || (at.Z !== 0 && at.T !== 0)) continue;
    const found = parseLabel(label);
    if (at.Z === 0 && at.T < T.length) T[at.T] = found.time;
    if (at.T === 0 && at.Z < Z.length) Z[at.Z] = found.depth;
  }
  return { ...(T.length > 0 ? { T } : {}), ...(Z.length > 0 ? { Z } : {}) };
}

/** Returns the labels that say something about the planes of a stack with so many channels. */
export function usefulLabels(metadata: ImageJMetadata | undefined, channels: number): string[] {
  const { time, depth } = parseLabel(imageJLabels(metadata, 1)[0] ?? '');
  if (!Number.isNaN(time) || !Number.isNaN(depth)) return imageJLabels(metadata, MAX_MEASURED);
  return channels > 1 ? imageJLabels(metadata, MAX_NAMES) : [];
}

/**
 * Returns the slice labels (UTF-16), one per plane, or none.
 * @param limit labels that are decoded at most
 */
export function imageJLabels(metadata: ImageJMetadata | undefined, limit: number): string[] {
  const decoder = new TextDecoder(metadata?.littleEndian ? 'utf-16le' : 'utf-16be');
  return (metadata?.items('labl', limit) ?? []).map((item) => decoder.decode(item));
}

/**
 * Returns channel names from slice labels: the label that all planes of a channel share, but for their times and depths, if
 * each channel has its own.
 * @param channelAt returns the channel of a plane by its index
 */
export function namesFromLabels(
  labels: readonly string[],
  channels: number,
  channelAt: (plane: number) => number,
): (string | undefined)[] {
  const names = new Array<string | undefined>(channels).fill(undefined);
  for (const [plane, label] of labels.entries()) {
    const channel = channelAt(plane);
    const { name } = parseLabel(label);
    if (channel >= channels || name === '' || (names[channel] ?? name) !== name) return [];
    names[channel] = name;
  }
  const distinct = new Set(names);
  return distinct.size === channels && !distinct.has(undefined) ? names : [];
}
