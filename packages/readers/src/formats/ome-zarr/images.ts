/** Builds the scenes of a store from its groups, with the arrays of their planes. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { listOf } from '../../base/json.js';
import { Notes } from '../../base/notes.js';
import { about, quoteError } from '../../base/subject.js';
import { grouped, plural } from '../../base/wording.js';
import type { PlaneAddress, ReadColumns, ReferenceInfo, SceneInfo } from '../../model/acquisition.js';
import { positionUnit } from '../../model/metadata/ome-measured.js';
import { omePlaneColumns } from '../../model/metadata/ome-plane-columns.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { type Companion, readCompanion, toReference } from './acqstore.js';
import { calibrationOf } from './calibration.js';
import { readLevel } from './hierarchy.js';
import { innermost, rowsOfChunks, toScene } from './metadata.js';
import { type AxisRoles, findRoles, parseMultiscale, type RawMultiscale } from './multiscales.js';
import type { ImageKeys } from './named.js';
import { omeOf, readNode } from './node.js';
import { OME_XML, readOmeXml } from './ome-xml.js';
import { isPlain, parseArray } from './parse.js';
import { ArrayPlanes, ChunkCaches } from './planes.js';
import { scratchBytes } from './scratch.js';
import { joinPath, type Store } from './store.js';
import type { Hierarchy, ImageGroup } from './types.js';

/** Images whose lower levels and chunk names are checked. A plate with thousands of images must open quickly. */
const CHECKED_IMAGES = 8;
/** Warnings about the store that are listed with each image. */
const MAX_STORE_WARNINGS = 20;

/** Multiscale images in one group. Real ones have one. */
const MAX_ENTRIES = 1_000;

/** Shared by all images of a store. */
interface Opening {
  store: Store;
  memory: ChunkCaches;
}

export interface OpenedImage {
  info: SceneInfo;
  keys: ImageKeys;
  /** Bands in which a plane can be decoded. */
  bands: number;
  /** Compressed chunks contain several channels. */
  interleaved: boolean;
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
  read(address: Omit<PlaneAddress, 'scene'>, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
  /** Reads what the OME-XML says of single planes. Absent: it says nothing. */
  readColumns?(): ReadColumns;
  /** The image on which the line was drawn. */
  reference?: OpenedImage;
}

/**
 * Opens all images of a store. Those that cannot be read are skipped with a warning, unless none can be read.
 * @throws AcqError `decode_failed`, `unsupported_format` when none can be read
 */
export function openImages(store: Store, hierarchy: Hierarchy, signal?: AbortSignal): OpenedImage[] {
  const opening: Opening = { store, memory: new ChunkCaches() };
  const images: OpenedImage[] = [];
  const notes = new Notes();
  notes.addAll(hierarchy.notes);
  let failed: AcqError | undefined;
  for (const group of hierarchy.images) {
    signal?.throwIfAborted();
    try {
      images.push(...openGroup(opening, group, images.length < CHECKED_IMAGES));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failed ??= error;
      notes.add(quoteError(`The image ${group.path || group.name} was skipped`, error));
    }
  }
  if (images.length === 0) throw failed ?? decodeFailed('contains no image');
  const warnings = notes.list();
  const shown = warnings.slice(0, MAX_STORE_WARNINGS);
  if (shown.length < warnings.length) shown.push(`… and ${warnings.length - shown.length} more warnings.`);
  return images.map((image) => ({ ...image, info: { ...image.info, warnings: [...shown, ...image.info.warnings] } }));
}

function openGroup(opening: Opening, group: ImageGroup, check: boolean): OpenedImage[] {
  return about(joinPath(opening.store.name, group.path), () => openEntries(opening, group, check));
}

function openEntries(opening: Opening, group: ImageGroup, check: boolean): OpenedImage[] {
  const entries = listOf(group.ome['multiscales']);
  if (entries.length === 0) throw decodeFailed('"multiscales" is empty');
  if (entries.length > MAX_ENTRIES)
    throw decodeFailed(`the group lists ${grouped(entries.length)} images; the limit is ${grouped(MAX_ENTRIES)}`);
  return entries.map((entry, i) => {
    const multiscale = parseMultiscale(entry, group.ome);
    const imageName = multiscale.name || group.xml?.name || '';
    const name =
      entries.length === 1 ? group.name || imageName : [group.name, imageName || String(i)].filter(Boolean).join(' ');
    return openImage(opening, name, group, multiscale, check);
  });
}

function openImage(
  opening: Opening,
  name: string,
  group: ImageGroup,
  multiscale: RawMultiscale,
  check: boolean,
): OpenedImage {
  const { store, memory } = opening;
  const [level] = multiscale.levels;
  const array = parseArray(store.name, readLevel(store, group, level?.path ?? ''));
  const { axes, steps, warnings } = calibrationOf(multiscale, array.shape.length);
  const roles = findRoles(axes, array.shape);
  const notes = new Notes();
  notes.addAll(warnings);
  const companionNotes = new Notes();
  const companion = openCompanion(store, group, companionNotes);
  const scene = toScene(name, { group, axes, steps, roles, array, companion }, notes);
  notes.addAll(companionNotes);
  const planes = new ArrayPlanes(store, array, memory);
  if (check) {
    notes.addAll(planes.files.warnings());
    if (roles.t === 0) notes.addAll(planes.files.describeEnd('T'));
    else if (roles.z === 0 && roles.rowKind === 'Y') notes.addAll(planes.files.describeEnd('Z'));
    notes.addAll(lowerLevelWarnings(store, group, multiscale, planes));
  }
  const reference = companion && openReference(opening, companion, notes);
  const info = { ...scene, reference: reference?.info ?? null, warnings: notes.list() };
  const compressed = !isPlain(innermost(array.pipeline));
  return {
    info,
    keys: { group: group.path, array, roles, sizes: info.sizes },
    bands: compressed ? rowsOfChunks(array.pipeline, roles, info.sizes.Y) : 1,
    interleaved: compressed && roles.c !== undefined && innermost(array.pipeline).shape[roles.c]! > 1,
    scratchBytes: scratchBytes(array, roles, info.sizes),
    read: (address, target, signal) => planes.read(toPlace(roles, array.shape.length, address), target, signal),
    ...columnsOf(store, { group, roles, info }),
    ...(reference ? { reference: reference.image } : {}),
  };
}

/** The document is read again: most who open an image never ask for its planes. */
function columnsOf(
  store: Store,
  { group: { xml }, roles, info }: { group: ImageGroup; roles: AxisRoles; info: SceneInfo },
): Pick<OpenedImage, 'readColumns'> {
  // The rows of a line scan, or of a section along Z, are not planes of the file.
  if (!xml || roles.rowKind !== 'Y') return {};
  const { sizes, steps, channels } = info;
  const samples = new Array<number>(channels.length).fill(1);
  const rowSizes = { T: sizes.T, Z: sizes.Z, C: channels.length };
  return {
    readColumns: () => {
      const unit = positionUnit(xml.pixels, rowSizes, steps.Z.unit === 'micrometer' ? steps.Z.step : undefined);
      const text = readOmeXml(store.open(OME_XML)) ?? '';
      return omePlaneColumns(text, { ...xml.pixels, positionUnit: unit }, { T: sizes.T, Z: sizes.Z, samples });
    },
  };
}

/** Reads the files of acqstore beside an image. Errors in them never prevent opening the image. */
function openCompanion(store: Store, group: ImageGroup, notes: Notes): Companion | undefined {
  if (group.path !== '' && group.manifest === undefined) return undefined;
  try {
    const companion = readCompanion(store, group.path, group.manifest, group.ome);
    if (companion) notes.addAll(companion.notes);
    return companion;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The files of acqstore beside the image were ignored', error));
    return undefined;
  }
}

/** The reference image of a scene, and how it is described. */
interface ZarrReference {
  image: OpenedImage;
  info: ReferenceInfo;
}

function openReference(opening: Opening, companion: Companion, notes: Notes): ZarrReference | undefined {
  const path = companion.referenceGroup;
  if (path === undefined) return undefined;
  try {
    const node = readNode(opening.store, path);
    if (!node) throw decodeFailed(`${path} is missing`);
    const group = { path, version: node.version, ome: omeOf(node), name: 'reference', xml: undefined };
    const [image] = openGroup(opening, group, false);
    return image && { image, info: toReference(image.info, companion, notes) };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The reference image was ignored', error));
    return undefined;
  }
}

function toPlace(roles: AxisRoles, rank: number, { channel, t, z }: Omit<PlaneAddress, 'scene'>) {
  const index = new Array<number>(rank).fill(0);
  if (roles.c !== undefined) index[roles.c] = channel;
  if (roles.t !== undefined) index[roles.t] = t;
  if (roles.z !== undefined) index[roles.z] = z;
  return { rowAxis: roles.rows, columnAxis: roles.x, index };
}

/** Lower levels are not served, but one that does not match makes the image doubtful. */
function lowerLevelWarnings(store: Store, group: ImageGroup, { levels }: RawMultiscale, planes: ArrayPlanes): string[] {
  const { shape, sampleType } = planes.array;
  return levels.slice(1).flatMap(({ path }) => {
    try {
      const lower = parseArray(store.name, readLevel(store, group, path));
      if (lower.shape.length !== shape.length) {
        return [
          `The level ${path} has ${plural(lower.shape.length, 'dimension')}; the full resolution has ${grouped(shape.length)}.`,
        ];
      }
      if (lower.sampleType === sampleType) return [];
      return [`The level ${path} has ${lower.sampleType} samples; the full resolution has ${sampleType}.`];
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      return [quoteError(`The level ${path} cannot be read`, error)];
    }
  });
}
