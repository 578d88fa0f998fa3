/** Finds the images of a store: one, the series of bioformats2raw, the fields of a plate, or the images of a scene. */
import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { type JsonObject, listOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { addCollection } from './acqstore.js';
import { isDocument } from './magic.js';
import { omeOf, readBelow, readNode, type ZarrNode } from './node.js';
import { OME_XML, type OmeXmlImage, parseOmeXml } from './ome-xml.js';
import { insidePath, joinPath, type Store } from './store.js';
import type { Hierarchy, ImageGroup } from './types.js';

/** Entries of a group that are searched when it does not list its images. */
const MAX_CHILDREN = 1_000;

/**
 * Finds the images of a store. Reads the documents of groups, not of arrays.
 * @throws AcqError `unsupported_format` for a store without images, `decode_failed`
 */
export function findImages(store: Store, signal?: AbortSignal): Hierarchy {
  const root = readNode(store, '');
  const ome = root ? omeOf(root) : {};
  const version = root?.version ?? 3;
  if (root?.kind === 'array') {
    throw unsupported('is a single Zarr array. Its axes are described in the group above it; open that folder.');
  }
  if (ome['multiscales'] !== undefined) {
    return { version, images: [{ path: '', version, ome, name: '', xml: soleXml(store) }], notes: new Notes() };
  }
  const plate = objectOf(ome['plate']);
  const well = objectOf(ome['well']);
  const hierarchy: Hierarchy = { version, images: [], notes: new Notes() };
  if (plate) addPlate(store, plate, hierarchy, signal);
  else if (well) addWell(store, '', well, hierarchy);
  else {
    addCollection(store, hierarchy, signal);
    if (hierarchy.images.length === 0) addScene(store, ome, hierarchy, signal);
    if (hierarchy.images.length === 0) addSeries(store, root, hierarchy, signal);
    if (hierarchy.images.length === 0) addChildren(store, hierarchy, signal);
  }
  if (hierarchy.images.length > 0) return hierarchy;
  if (plate || well)
    throw decodeFailed(`none of the fields can be read. ${hierarchy.notes.list().slice(0, 3).join(' ')}`);
  throw unsupported(
    `is a Zarr ${root ? 'group' : 'store'} without OME-Zarr images: it has no "multiscales", and lists no ` +
      'plate, scene or series of images',
  );
}

/** Returns the OME-XML beside an image at the root, as our own exports write it; `undefined` for one of several images. */
function soleXml(store: Store): OmeXmlImage | undefined {
  const described = parseOmeXml(store.open(OME_XML));
  return described.length === 1 ? described[0] : undefined;
}

/** Adds wells in the order of the plate, and fields in the order of the well. */
function addPlate(store: Store, plate: JsonObject, hierarchy: Hierarchy, signal: AbortSignal | undefined): void {
  for (const entry of entriesOf('wells', plate['wells'])) {
    signal?.throwIfAborted();
    const path = textOf(objectOf(entry)?.['path']);
    if (path === undefined) throw decodeFailed('lists a well without a path');
    const inside = insidePath('', path);
    const well = readOr(store, inside, hierarchy);
    const fields = well && objectOf(omeOf(well)['well']);
    if (fields) addWell(store, inside, fields, hierarchy);
    else if (well) hierarchy.notes.add(`The well ${path} was skipped: it does not list its fields.`);
  }
}

function addWell(store: Store, path: string, well: JsonObject, hierarchy: Hierarchy): void {
  for (const entry of entriesOf('fields', well['images'])) {
    const field = textOf(objectOf(entry)?.['path']);
    if (field === undefined) throw decodeFailed(`the well ${path} lists a field without a path`);
    const inside = insidePath(path, field);
    addImage(store, inside, inside, undefined, hierarchy);
  }
}

/** Adds the images of bioformats2raw, which are numbered or listed in the group `OME`. */
function addSeries(
  store: Store,
  root: ZarrNode | undefined,
  hierarchy: Hierarchy,
  signal: AbortSignal | undefined,
): void {
  const group = readNode(store, 'OME');
  const listed = group && omeOf(group)['series'];
  const xml = parseOmeXml(store.open(OME_XML));
  const layout = root && omeOf(root)['bioformats2raw.layout'];
  if (Array.isArray(listed)) {
    entriesOf('series', listed).forEach((path, i) => {
      signal?.throwIfAborted();
      if (typeof path !== 'string') throw decodeFailed('lists a series that is not a path');
      addImage(store, insidePath('', path), xml[i]?.name || path, xml[i], hierarchy);
    });
    return;
  }
  for (let i = 0; i < LIMITS.scenes; i++) {
    signal?.throwIfAborted();
    if (!readNode(store, String(i))) break;
    addImage(store, String(i), xml[i]?.name || String(i), xml[i], hierarchy);
  }
  // Other groups may have numbered children of another kind. Only the layout makes their errors worth a warning.
  if (layout === undefined && hierarchy.images.length === 0) hierarchy.notes = new Notes();
}

/**
 * Adds the images that the `scene` of 0.6 places in one space, by the paths in its transformations. Drafts have the
 * transformations at the top and name groups like coordinate systems.
 */
function addScene(store: Store, ome: JsonObject, hierarchy: Hierarchy, signal: AbortSignal | undefined): void {
  const list = (objectOf(ome['scene']) ?? ome)['coordinateTransformations'];
  const paths = new Map<string, boolean>();
  for (const entry of entriesOf('transformations', list).map(objectOf)) {
    for (const end of [entry?.['input'], entry?.['output']]) {
      const path = textOf(objectOf(end)?.['path']);
      const name = path ?? textOf(end);
      if (name) paths.set(name, path !== undefined || (paths.get(name) ?? false));
    }
  }
  for (const [path, isCertain] of paths) {
    signal?.throwIfAborted();
    // Drafts name coordinate systems in the same way as groups.
    if (isCertain || isNode(store, path)) {
      const inside = insidePath('', path);
      addImage(store, inside, inside, undefined, hierarchy);
    }
  }
  if (hierarchy.images.length > 0) {
    hierarchy.notes.add(
      'The transformations of the scene are not applied. Its images are shown one by one, as stored.',
    );
  }
}

/** Adds the images directly inside a group, or a zip archive, that does not list any. */
function addChildren(store: Store, hierarchy: Hierarchy, signal: AbortSignal | undefined): void {
  const names = [...new Set(store.tops ?? store.list(''))].filter((name) => !isDocument(name)).sort(byNumber);
  for (const name of names.slice(0, MAX_CHILDREN)) {
    signal?.throwIfAborted();
    const node = isNode(store, name) ? readNode(store, name) : undefined;
    if (node && omeOf(node)['multiscales'] !== undefined) addImage(store, name, name, undefined, hierarchy);
  }
  if (hierarchy.images.length === 0) return;
  hierarchy.notes.add('The file does not list its images. Showing those directly inside it.');
  if (names.length > MAX_CHILDREN)
    hierarchy.notes.add(`Only the first ${grouped(MAX_CHILDREN)} entries were searched.`);
}

/** Sorts `cell_2` before `cell_10`. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function addImage(store: Store, path: string, name: string, xml: OmeXmlImage | undefined, hierarchy: Hierarchy): void {
  if (hierarchy.images.length >= LIMITS.scenes) {
    throw decodeFailed(`lists more than ${grouped(LIMITS.scenes)} images`);
  }
  const node = readOr(store, path, hierarchy);
  if (!node) return;
  const ome = omeOf(node);
  if (ome['multiscales'] !== undefined) hierarchy.images.push({ path, version: node.version, ome, name, xml });
  else hierarchy.notes.add(`The image ${path} was skipped: it has no "multiscales".`);
}

function isNode(store: Store, name: string): boolean {
  try {
    return readNode(store, insidePath('', name)) !== undefined;
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

function entriesOf(what: string, value: unknown): readonly unknown[] {
  const entries = listOf(value);
  if (entries.length <= LIMITS.scenes) return entries;
  throw decodeFailed(`lists ${grouped(entries.length)} ${what}; the limit is ${grouped(LIMITS.scenes)}`);
}

/** Reads a node. Adds a note for one that is missing or cannot be read. */
function readOr(store: Store, path: string, hierarchy: Hierarchy): ZarrNode | undefined {
  try {
    const node = readBelow(store, path, hierarchy.version, 'group');
    if (!node) hierarchy.notes.add(`${path} was skipped: it is listed, but missing.`);
    return node;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    hierarchy.notes.add(quoteError(`${path} was skipped`, error));
    return undefined;
  }
}

/** Reads the array of a level. @throws AcqError `decode_failed` when it is missing */
export function readLevel(store: Store, group: ImageGroup, path: string): ZarrNode {
  const inside = insidePath(group.path, path);
  const node = readBelow(store, inside, group.version, 'array');
  if (!node) {
    const missing = decodeFailed('the array that "multiscales" lists is missing');
    throw missing.about(joinPath(store.name, inside));
  }
  return node;
}
