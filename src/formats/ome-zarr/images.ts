/** From the groups of a store to scenes and the arrays that their planes lie in. */
import type { PlaneAddress, SceneInfo } from '../../acquisition.js';
import { AcqError, decodeFailed } from '../../errors.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { plural } from '../../wording.js';
import { type Companion, readCompanion, toReference } from './acqstore.js';
import { isPlain, parseArray } from './array.js';
import { calibrationOf } from './calibration.js';
import { readLevel } from './hierarchy.js';
import { listOf } from './json.js';
import { innermost, rowsOfChunks, toScene } from './metadata.js';
import { type AxisRoles, parseMultiscale, type RawMultiscale, rolesOf } from './multiscales.js';
import type { ImageKeys } from './named.js';
import { omeOf, readNode } from './node.js';
import { ArrayPlanes, ChunkMemory } from './planes.js';
import { scratchBytes } from './scratch.js';
import { joinPath, type Store } from './store.js';
import type { Hierarchy, ImageGroup } from './types.js';

/** Images of which lower levels and chunk names are looked at. A plate of thousands opens with what it must read. */
const CHECKED_IMAGES = 8;
/** What is wrong with other images is said with every one: the rest is counted. */
const LISTED_WARNINGS = 20;

/** Multiscale images of one group, and levels of one: real ones have one of a handful. */
const MOST_ENTRIES = 1_000;

/** What all images of one store share. */
interface Opening {
  store: Store;
  memory: ChunkMemory;
}

export interface ZarrImage {
  info: SceneInfo;
  keys: ImageKeys;
  /** Bands that a plane can be decoded in. */
  bands: number;
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
  read(address: Omit<PlaneAddress, 'scene'>, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
  /** The image that the line was drawn on. */
  reference?: ZarrImage;
}

/**
 * All images of a store. One that cannot be read is left out of several, with a warning.
 * @throws AcqError `decode_failed`, `unsupported_format` when none can be read
 */
export function openImages(store: Store, hierarchy: Hierarchy, signal?: AbortSignal): ZarrImage[] {
  const opening: Opening = { store, memory: new ChunkMemory() };
  const images: ZarrImage[] = [];
  const warnings = [...hierarchy.warnings];
  let failed: AcqError | undefined;
  for (const group of hierarchy.images) {
    signal?.throwIfAborted();
    try {
      images.push(...openGroup(opening, group, images.length < CHECKED_IMAGES));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failed ??= error;
      warnings.push(`The image ${group.path || group.name} is left out: ${error.message}`);
    }
  }
  if (images.length === 0) throw failed ?? decodeFailed(`${store.name}: holds no image`);
  const shown = warnings.slice(0, LISTED_WARNINGS);
  if (shown.length < warnings.length) shown.push(`… and ${warnings.length - shown.length} more were left out.`);
  for (const { info } of images) info.warnings.unshift(...shown);
  return images;
}

function openGroup(opening: Opening, group: ImageGroup, check: boolean): ZarrImage[] {
  const label = joinPath(opening.store.name, group.path);
  const entries = listOf(group.ome['multiscales']);
  if (entries.length === 0) throw decodeFailed(`${label}: its "multiscales" are empty: there is no image`);
  if (entries.length > MOST_ENTRIES) throw decodeFailed(`${label}: lists ${entries.length} images in one group`);
  return entries.map((entry, i) => {
    const multiscale = parseMultiscale(label, entry, group.ome);
    const own = multiscale.name || group.xml?.name || '';
    const name = entries.length === 1 ? group.name || own : [group.name, own || String(i)].filter(Boolean).join(' ');
    return openImage(opening, label, name, group, multiscale, check);
  });
}

function openImage(
  opening: Opening,
  label: string,
  name: string,
  group: ImageGroup,
  multiscale: RawMultiscale,
  check: boolean,
): ZarrImage {
  const { store, memory } = opening;
  const [level] = multiscale.levels;
  const array = parseArray(store.name, readLevel(store, group, level?.path ?? ''));
  const { axes, steps, warnings } = calibrationOf(label, multiscale, array.shape.length);
  const roles = rolesOf(label, axes, array.shape);
  const notes: string[] = [];
  const companion = companionOf(store, group, notes);
  const info = toScene(label, name, { group, axes, steps, roles, array, companion });
  info.warnings.unshift(...warnings);
  info.warnings.push(...notes);
  const planes = new ArrayPlanes(store, array, memory);
  if (check) {
    info.warnings.push(...planes.files.warnings(), ...lowerLevelWarnings(store, group, multiscale, planes));
  }
  const reference = companion && openReference(opening, companion, info);
  const compressed = !isPlain(innermost(array.pipeline));
  return {
    info,
    keys: { group: group.path, array, roles, sizes: info.sizes },
    bands: compressed ? rowsOfChunks(array.pipeline, roles, info.sizes.Y) : 1,
    scratchBytes: scratchBytes(array, roles, info.sizes),
    read: (address, target, signal) => planes.read(placeOf(roles, array.shape.length, address), target, signal),
    ...(reference ? { reference } : {}),
  };
}

/** What acqstore keeps beside the image of a store, or of a collection: nothing of it can fail the open. */
function companionOf(store: Store, group: ImageGroup, notes: string[]): Companion | undefined {
  if (group.path !== '' && group.manifest === undefined) return undefined;
  try {
    const companion = readCompanion(store, group.path, group.manifest, group.ome);
    notes.push(...(companion?.warnings ?? []));
    return companion;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.push(`What acqstore keeps beside the image is left out: ${error.message}`);
    return undefined;
  }
}

function openReference(opening: Opening, companion: Companion, info: SceneInfo): ZarrImage | undefined {
  const path = companion.referenceGroup;
  if (path === undefined) return undefined;
  try {
    const node = readNode(opening.store, path);
    if (!node) throw decodeFailed(`${path} is not in the store`);
    const group = { path, version: node.version, ome: omeOf(node), name: 'reference', xml: undefined };
    const [reference] = openGroup(opening, group, false);
    if (reference) info.reference = toReference(reference.info, companion, info.warnings);
    return reference;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    info.warnings.push(`The reference image is left out: ${error.message}`);
    return undefined;
  }
}

function placeOf(roles: AxisRoles, rank: number, { channel, t, z }: Omit<PlaneAddress, 'scene'>) {
  const index = new Array<number>(rank).fill(0);
  if (roles.c !== undefined) index[roles.c] = channel;
  if (roles.t !== undefined) index[roles.t] = t;
  if (roles.z !== undefined) index[roles.z] = z;
  return { rowAxis: roles.rows, columnAxis: roles.x, index };
}

/** Lower levels are not served, but one that does not fit makes the image doubtful. */
function lowerLevelWarnings(store: Store, group: ImageGroup, { levels }: RawMultiscale, planes: ArrayPlanes): string[] {
  const { shape, sampleType } = planes.array;
  return levels.slice(1).flatMap(({ path }) => {
    try {
      const lower = parseArray(store.name, readLevel(store, group, path));
      if (lower.shape.length !== shape.length) {
        return [
          `The level ${path} has ${plural(lower.shape.length, 'dimension')}; the full resolution has ${shape.length}.`,
        ];
      }
      if (lower.sampleType === sampleType) return [];
      return [`The level ${path} has samples of ${lower.sampleType}, the full resolution of ${sampleType}.`];
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      return [`The level ${path} cannot be read: ${error.message}`];
    }
  });
}
