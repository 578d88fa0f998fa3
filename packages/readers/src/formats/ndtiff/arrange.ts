import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asIncomplete } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import type { DepthOrder } from '../../model/metadata/depth-order.js';
import { describeSkipped, withDropped } from '../../model/metadata/micro-manager.js';
import { cleanName } from '../../model/metadata/names.js';
import { PlaneMap } from '../../model/metadata/plane-map.js';
import { type AxisValue, type ImageEntry, type PixelForm, pixelForm, tryPixelForm } from './parse.js';

/** The images of one scene by their addresses. */
export interface NdtiffScene {
  name: string;
  /** Values of the axes at each index. An image without the axis has `undefined` there. */
  T: (AxisValue | undefined)[];
  Z: (AxisValue | undefined)[];
  C: (AxisValue | undefined)[];
  form: PixelForm;
  width: number;
  height: number;
  /** Channels are those of pages, before their samples are told apart. */
  images: PlaneMap<ImageEntry>;
  /** The first image that was recorded, of all and of each channel. */
  first: ImageEntry;
  firstOfChannel: ImageEntry[];
  notes: Notes;
  /** The order of the sections of each time point, if that of their numbers is not that of their depths. */
  order?: DepthOrder;
  /** Returns the indices of the first image, in file order, for which `is` is true. */
  find(is: (entry: ImageEntry) => boolean): { t: number; z: number } | undefined;
}

/** Axes with a meaning of their own. Names are case-sensitive: explored sets have an axis `Z` of tiles, always 0. */
const [TIME, DEPTH, CHANNEL] = ['time', 'z', 'channel'] as const;
const PLANE_AXES: readonly string[] = [TIME, DEPTH, CHANNEL];

const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * Arranges images by their axes: time, z and channel are T, Z and C; each combination of the other axes that vary, and each
 * size of image, is a scene. Numbers are in ascending order, labels in the order of their numbers (`Pos2` before `Pos10`),
 * those of channels as they were recorded. The order of the keys of an image has no meaning.
 * @throws AcqError `unsupported_format`, `decode_failed`
 */
export function arrangeImages(entries: readonly ImageEntry[]): NdtiffScene[] {
  const usable = entries.filter((entry) => tryPixelForm(entry) !== undefined);
  const [first] = entries;
  if (first && usable.length === 0) pixelForm(first);
  const axes = findAxes(usable);
  const groups = groupScenes(usable, axes);
  if (groups.length > LIMITS.scenes)
    throw decodeFailed(`the index has ${grouped(groups.length)} scenes; the limit is ${grouped(LIMITS.scenes)}`);
  const shapes = new Set(groups.map(({ entries: [entry] }) => shapeOf(entry!)));
  const scenes = groups.map((group) => toScene(group, axes, shapes.size > 1));
  const skipped = entries.length - usable.length;
  if (skipped > 0)
    for (const { notes } of scenes)
      notes.add(`${plural(skipped, 'image')} of the index cannot be read: their size or pixel type is not supported.`);
  return scenes;
}

/** Values of each axis that varies, in their order. */
type VaryingAxes = ReadonlyMap<string, readonly (AxisValue | undefined)[]>;

function findAxes(entries: readonly ImageEntry[]): VaryingAxes {
  const names = new Set(entries.flatMap(({ axes }) => Object.keys(axes)));
  const values = new Map<string, (AxisValue | undefined)[]>();
  for (const name of names) {
    const found = [...new Set(entries.map(({ axes }) => axes[name]))];
    if (found.length > 1) values.set(name, sortValues(name, found));
  }
  return values;
}

function sortValues(name: string, values: readonly (AxisValue | undefined)[]): (AxisValue | undefined)[] {
  const kind = (value: AxisValue | undefined) => (value === undefined ? 0 : typeof value === 'number' ? 1 : 2);
  return values.toSorted((a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === 'string' && typeof b === 'string') return name === CHANNEL ? 0 : COLLATOR.compare(a, b);
    return kind(a) - kind(b);
  });
}

interface SceneGroup {
  /** Indices along the axes of scenes. */
  ranks: number[];
  entries: ImageEntry[];
}

function shapeOf({ width, height, pixelType }: ImageEntry): string {
  const form = pixelType === 0 ? 'gray 8' : pixelType === 2 ? 'color' : 'gray 16';
  return `${width} × ${height} ${form}`;
}

/** Groups images by the axes of scenes, in the order of these, and by their shapes, in file order. */
function groupScenes(entries: readonly ImageEntry[], axes: VaryingAxes): SceneGroup[] {
  const sceneAxes = [...axes].filter(([name]) => !PLANE_AXES.includes(name));
  const ranked = sceneAxes.map(([name, values]) => ({ name, rank: new Map(values.map((value, i) => [value, i])) }));
  const groups = new Map<string, SceneGroup>();
  for (const entry of entries) {
    const ranks = ranked.map(({ name, rank }) => rank.get(entry.axes[name])!);
    const key = `${ranks.join(' ')} ${shapeOf(entry)}`;
    const group = groups.get(key);
    if (group) group.entries.push(entry);
    else groups.set(key, { ranks, entries: [entry] });
  }
  return [...groups.values()].sort((a, b) => {
    const differs = a.ranks.findIndex((rank, i) => rank !== b.ranks[i]);
    return differs < 0 ? 0 : a.ranks[differs]! - b.ranks[differs]!;
  });
}

function toScene({ entries }: SceneGroup, axes: VaryingAxes, hasShapes: boolean): NdtiffScene {
  const [first] = entries as [ImageEntry, ...ImageEntry[]];
  const valuesOf = (name: string) => {
    const present = new Set(entries.map((entry) => entry.axes[name]));
    return (axes.get(name) ?? [first.axes[name]]).filter((value) => present.has(value));
  };
  const recorded = valuesOf(TIME);
  const T = areNumbers(recorded) ? withDropped(recorded) : recorded;
  const [Z, C] = [valuesOf(DEPTH), valuesOf(CHANNEL)];
  const form = pixelForm(first);
  if (C.length * form.samples > LIMITS.channels)
    throw decodeFailed(`the index has ${grouped(C.length)} channels; the limit is ${grouped(LIMITS.channels)}`);
  const notes = new Notes();
  const images = mapImages(entries, { T, Z, C });
  images.noteDuplicates(notes);
  if (areNumbers(T)) notes.addAll(describeSkipped('frames', T));
  const missing = T.length * Z.length * C.length - images.size;
  if (missing > 0) {
    notes.add(
      asIncomplete(
        `${plural(missing, 'plane')} ${missing === 1 ? 'was' : 'were'} not recorded. Showing ${missing === 1 ? 'it' : 'them'} as zeros.`,
      ),
    );
  }
  const { width, height } = first;
  const name = nameScene(first, axes, hasShapes);
  const find = (is: (entry: ImageEntry) => boolean) => {
    const entry = entries.find(is);
    return entry && { t: T.indexOf(entry.axes[TIME]), z: Z.indexOf(entry.axes[DEPTH]) };
  };
  const byChannel = new Map(entries.toReversed().map((entry) => [entry.axes[CHANNEL], entry]));
  const firstOfChannel = C.map((value) => byChannel.get(value)!);
  return { name, T, Z, C, form, width, height, images, first, firstOfChannel, notes, find };
}

function areNumbers(values: readonly (AxisValue | undefined)[]): values is number[] {
  return values.every((value) => typeof value === 'number');
}

/** Returns the image of a plane; `undefined` if it was not recorded. */
export function imageAt(
  { images, order }: Pick<NdtiffScene, 'images' | 'order'>,
  { channel, t, z }: Omit<PlaneAddress, 'scene'>,
): ImageEntry | undefined {
  const stored = order ? order.planeAt(t, z) : z;
  return stored === undefined ? undefined : images.at({ scene: 0, channel, t, z: stored });
}

/** An image that was saved again replaces the earlier one: explored tiles are overwritten that way. */
function mapImages(entries: readonly ImageEntry[], { T, Z, C }: Pick<NdtiffScene, 'T' | 'Z' | 'C'>) {
  const [times, depths, channels] = [T, Z, C].map((values) => new Map(values.map((value, i) => [value, i])));
  const images = new PlaneMap<ImageEntry>({ channels: C.length, Z: Z.length }, 'last', isSamePlace);
  for (const entry of entries) {
    const [t, z, channel] = [
      times!.get(entry.axes[TIME])!,
      depths!.get(entry.axes[DEPTH])!,
      channels!.get(entry.axes[CHANNEL])!,
    ];
    images.add({ scene: 0, channel, t, z }, entry);
  }
  return images;
}

function isSamePlace(a: ImageEntry, b: ImageEntry): boolean {
  return a.file === b.file && a.pixelOffset === b.pixelOffset;
}

/** Returns `Pos2`, `Position 3`, `r4 c2`, `l 1`, …; empty for the only scene. */
function nameScene(entry: ImageEntry, axes: VaryingAxes, hasShapes: boolean): string {
  const parts = [...axes.keys()]
    .filter((name) => !PLANE_AXES.includes(name))
    .map((name) => nameIndex(name, entry.axes[name]));
  return cleanName([...parts, ...(hasShapes ? [shapeOf(entry)] : [])].filter(Boolean).join(' '));
}

function nameIndex(axis: string, value: AxisValue | undefined): string {
  if (value === undefined) return '';
  if (axis === 'row') return `r${value}`;
  if (axis === 'column') return `c${value}`;
  if (axis === 'position') return typeof value === 'string' ? value : `Position ${value}`;
  return `${axis} ${value}`;
}
