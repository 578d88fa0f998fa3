import { type GridAxis, toIndices } from '../../../model/metadata/mixed-radix.js';
import type { PlaneRows } from '../../../model/metadata/plane-rows.js';
import type { ImageJMetadata } from './imagej-items.js';

/** `GFP t=12.5 s z=3 µm`: our own exports say when and how deep a plane was taken. */
const LABEL = /^(.*?) ?(?:\bt=([-+.\de]{1,25}) s)? ?(?:\bz=([-+.\de]{1,25}) µm)?$/;

/** Labels that are read for the names of channels; more do not help to distinguish channels. */
const MAX_NAMES = 10_000;
/** Labels that are read for times and depths: as many as our own exports write. */
const MAX_MEASURED = 100_000;
/** Labels one of which has a time or a depth if any does. */
const MAX_TRIED = 8;

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

/** Returns the times and depths in slice labels; `undefined` when they have none. */
export function rowsOfLabels(labels: readonly string[], axes: readonly GridAxis[]): PlaneRows | undefined {
  const rows: PlaneRows = { t: [], z: [], c: [], time: [], depth: [] };
  for (const [plane, label] of labels.entries()) {
    const { T, Z, C } = toIndices(axes, plane);
    const { time, depth } = parseLabel(label);
    rows.t.push(T);
    rows.z.push(Z);
    rows.c.push(C);
    rows.time.push(time);
    rows.depth.push(depth);
  }
  return rows.time.some(Number.isFinite) || rows.depth.some(Number.isFinite) ? rows : undefined;
}

/** Returns the labels that say something about the planes of a stack with so many channels. */
export function usefulLabels(metadata: ImageJMetadata | undefined, channels: number): string[] {
  const first = imageJLabels(metadata, MAX_TRIED).map(parseLabel);
  if (first.some(({ time, depth }) => Number.isFinite(time) || Number.isFinite(depth)))
    return imageJLabels(metadata, MAX_MEASURED);
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
