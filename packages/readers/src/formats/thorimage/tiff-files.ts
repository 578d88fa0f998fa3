/** The TIFFs of a recording: one plane each, with its indices in the name. */

import type { Notes } from '../../base/notes.js';
import type { NamedPlane, PlaneAddress } from '../../model/acquisition.js';
import { PlaneMap } from '../../model/metadata/plane-map.js';
import { TIFF_NAME } from './magic.js';

export interface ThorName {
  channel: string;
  site: number;
  tile: number;
  z: number;
  t: number;
}

export function parseThorName(name: string): ThorName | undefined {
  const [, channel, ...numbers] = TIFF_NAME.exec(name) ?? [];
  if (channel === undefined) return undefined;
  const [site, tile, z, t] = numbers.map(Number) as [number, number, number, number];
  return { channel, site, tile, z, t };
}

/** Numbers for each one that a file has. */
const MAX_SPREAD = 4;

/** The numbers that occur in the names of a set, and those between, in ascending order, and the file of each plane. */
export interface ThorFiles {
  channels: string[];
  scenes: string[];
  Z: number[];
  T: number[];
  count: number;
  names: string[];
  at(address: PlaneAddress): string | undefined;
  /** `undefined` for a file that is none of the set. */
  find(name: string): NamedPlane | undefined;
}

/**
 * Sorts the files of a folder into the planes of a recording.
 * @param channels names of the channels in the settings; other files are of no recording
 */
export function sortThorFiles(folder: readonly string[], channels: readonly string[], notes: Notes): ThorFiles {
  const known = new Map(channels.map((name, index) => [name.toLowerCase(), index]));
  const channelOf = (parsed: ThorName) => known.get(parsed.channel.toLowerCase());
  const members = folder.flatMap((name) => {
    const parsed = parseThorName(name);
    const channel = parsed && channelOf(parsed);
    return parsed && channel !== undefined
      ? [{ name, channel, scene: sceneKey(parsed), z: parsed.z, t: parsed.t }]
      : [];
  });
  const used = sorted(members.map(({ channel }) => channel));
  const scenes = [...new Set(members.map(({ scene }) => scene))].sort();
  const [Z, T] = [withGaps(members.map(({ z }) => z)), withGaps(members.map(({ t }) => t))];
  const [channelAt, sceneAt, zAt, tAt] = [toIndex(used), toIndex(scenes), toIndex(Z), toIndex(T)];
  const map = new PlaneMap<string>({ channels: used.length, Z: Z.length }, 'first');
  for (const { name, channel, scene, z, t } of members) {
    const address = { scene: sceneAt.get(scene)!, channel: channelAt.get(channel)!, t: tAt.get(t)!, z: zAt.get(z)! };
    map.add(address, name);
  }
  map.noteDuplicates(notes);
  return {
    channels: used.map((index) => channels[index]!),
    ...{ scenes, Z, T, count: map.size, names: members.map(({ name }) => name) },
    at: (address) => map.at(address),
    find: (name) => {
      const parsed = parseThorName(name);
      if (!parsed || channelOf(parsed) === undefined) return undefined;
      const [scene, t, z] = [sceneAt.get(sceneKey(parsed)), tAt.get(parsed.t), zAt.get(parsed.z)];
      return scene === undefined || t === undefined || z === undefined ? undefined : { scene, t, z };
    },
  };
}

/** Sites and their tiles are scenes. */
function sceneKey({ site, tile }: ThorName): string {
  return `${String(site).padStart(9, '0')} ${String(tile).padStart(9, '0')}`;
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** A section or time point of which no file is there keeps its place, as the distances of the others need it. */
function withGaps(values: readonly number[]): number[] {
  const numbers = sorted(values);
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const span = last - first + 1;
  // Names that are farther apart count something else.
  if (span === numbers.length || span > MAX_SPREAD * numbers.length) return numbers;
  return Array.from({ length: span }, (_, i) => first + i);
}

function toIndex<T>(values: readonly T[]): Map<T, number> {
  return new Map(values.map((value, index) => [value, index]));
}
