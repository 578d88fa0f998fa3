/** Which images a store holds: one, the series of bioformats2raw, the fields of a plate, the images of a scene. */
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { addCollection } from './acqstore.js';
import { type JsonObject, listOf, objectOf, textOf } from './json.js';
import { isDocument } from './magic.js';
import { omeOf, readBelow, readNode, type ZarrNode } from './node.js';
import { type OmeXmlImage, parseOmeXml } from './ome-xml.js';
import { insidePath, joinPath, type Store } from './store.js';
import type { Hierarchy, ImageGroup } from './types.js';

/** Entries of a group that are looked at when it does not list its images. */
const MAX_CHILDREN = 1_000;

/**
 * Reads the documents of all groups, no arrays.
 * @throws AcqError `unsupported_format` for a store without images, `decode_failed`
 */
export function findImages(store: Store, signal?: AbortSignal): Hierarchy {
  const root = readNode(store, '');
  const ome = root ? omeOf(root) : {};
  const version = root?.version ?? 3;
  if (root?.kind === 'array') {
    throw unsupported(
      `${store.name}: is a Zarr array, and what its axes mean is told by the group that holds it; open the folder above it`,
    );
  }
  if (ome['multiscales'] !== undefined)
    return { version, images: [{ path: '', version, ome, name: '', xml: undefined }], warnings: [] };
  const plate = objectOf(ome['plate']);
  const well = objectOf(ome['well']);
  const found: Hierarchy = { version, images: [], warnings: [] };
  if (plate) addPlate(store, plate, found, signal);
  else if (well) addWell(store, '', well, found);
  else {
    addCollection(store, found, signal);
    if (found.images.length === 0) addScene(store, ome, found, signal);
    if (found.images.length === 0) addSeries(store, root, found, signal);
    if (found.images.length === 0) addChildren(store, found, signal);
  }
  if (found.images.length > 0) return found;
  if (plate || well)
    throw decodeFailed(`${store.name}: none of its fields can be read. ${found.warnings.slice(0, 3).join(' ')}`);
  throw unsupported(
    `${store.name}: is a Zarr ${root ? 'group' : 'store'} without OME-Zarr images: it has no "multiscales", and lists no ` +
      'plate, scene or series of images',
  );
}

/** Wells in the order of the plate, fields in that of the well. */
function addPlate(store: Store, plate: JsonObject, found: Hierarchy, signal: AbortSignal | undefined): void {
  for (const entry of entriesOf(store, 'wells', plate['wells'])) {
    signal?.throwIfAborted();
    const path = textOf(objectOf(entry)?.['path']);
    if (path === undefined) throw decodeFailed(`${store.name}: lists a well without a path`);
    const inside = insidePath(store, '', path);
    const well = readOr(store, inside, found);
    const fields = well && objectOf(omeOf(well)['well']);
    if (fields) addWell(store, inside, fields, found);
    else if (well) found.warnings.push(`The well ${path} is left out: it does not list its fields.`);
  }
}

function addWell(store: Store, path: string, well: JsonObject, found: Hierarchy): void {
  for (const entry of entriesOf(store, 'fields', well['images'])) {
    const field = textOf(objectOf(entry)?.['path']);
    if (field === undefined) throw decodeFailed(`${store.name}: the well ${path} lists a field without a path`);
    const inside = insidePath(store, path, field);
    addImage(store, inside, inside, undefined, found);
  }
}

/** bioformats2raw numbers its images, or lists them in the group `OME`. */
function addSeries(store: Store, root: ZarrNode | undefined, found: Hierarchy, signal: AbortSignal | undefined): void {
  const group = readNode(store, 'OME');
  const listed = group && omeOf(group)['series'];
  const xml = parseOmeXml(store.open('OME/METADATA.ome.xml'));
  const layout = root && omeOf(root)['bioformats2raw.layout'];
  if (Array.isArray(listed)) {
    entriesOf(store, 'series', listed).forEach((path, i) => {
      signal?.throwIfAborted();
      if (typeof path !== 'string') throw decodeFailed(`${store.name}: lists a series that is no path`);
      addImage(store, insidePath(store, '', path), xml[i]?.name || path, xml[i], found);
    });
    return;
  }
  for (let i = 0; i < LIMITS.scenes; i++) {
    signal?.throwIfAborted();
    if (!readNode(store, String(i))) break;
    addImage(store, String(i), xml[i]?.name || String(i), xml[i], found);
  }
  // Other groups may have numbered children of their own kind: only the layout makes what is wrong with them our concern.
  if (layout === undefined && found.images.length === 0) found.warnings = [];
}

/**
 * Images that the `scene` of 0.6 places in one space, by the paths in its transformations. Drafts kept these at the top
 * and named groups without saying so.
 */
function addScene(store: Store, ome: JsonObject, found: Hierarchy, signal: AbortSignal | undefined): void {
  const list = (objectOf(ome['scene']) ?? ome)['coordinateTransformations'];
  const paths = new Map<string, boolean>();
  for (const entry of entriesOf(store, 'transformations', list).map(objectOf)) {
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
      const inside = insidePath(store, '', path);
      addImage(store, inside, inside, undefined, found);
    }
  }
  if (found.images.length > 0) {
    found.warnings.push(
      'The transformations of the scene are not applied: its images are shown one by one, as stored.',
    );
  }
}

/** Images directly inside a group, or a zip archive, that does not list any. */
function addChildren(store: Store, found: Hierarchy, signal: AbortSignal | undefined): void {
  const names = [...new Set(store.tops ?? store.list(''))].filter((name) => !isDocument(name)).sort(byNumber);
  for (const name of names.slice(0, MAX_CHILDREN)) {
    signal?.throwIfAborted();
    const node = isNode(store, name) ? readNode(store, name) : undefined;
    if (node && omeOf(node)['multiscales'] !== undefined) addImage(store, name, name, undefined, found);
  }
  if (found.images.length === 0) return;
  found.warnings.push('The images are not listed in the file: those directly inside it are shown.');
  if (names.length > MAX_CHILDREN) found.warnings.push(`Only the first ${MAX_CHILDREN} entries were looked at.`);
}

/** `cell_2` before `cell_10`. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function addImage(store: Store, path: string, name: string, xml: OmeXmlImage | undefined, found: Hierarchy): void {
  if (found.images.length >= LIMITS.scenes) throw decodeFailed(`${store.name}: lists more images than any real store`);
  const node = readOr(store, path, found);
  if (!node) return;
  const ome = omeOf(node);
  if (ome['multiscales'] !== undefined) found.images.push({ path, version: node.version, ome, name, xml });
  else found.warnings.push(`The image ${path} is left out: it has no "multiscales".`);
}

function isNode(store: Store, name: string): boolean {
  try {
    return readNode(store, insidePath(store, '', name)) !== undefined;
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

function entriesOf(store: Store, what: string, value: unknown): readonly unknown[] {
  const entries = listOf(value);
  if (entries.length <= LIMITS.scenes) return entries;
  throw decodeFailed(`${store.name}: lists ${entries.length} ${what}, more than any real store has`);
}

/** A node, or a warning for one that is missing or damaged. */
function readOr(store: Store, path: string, found: Hierarchy): ZarrNode | undefined {
  try {
    const node = readBelow(store, path, found.version, 'group');
    if (!node) found.warnings.push(`${path} is left out: it is listed, but not in the store.`);
    return node;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    found.warnings.push(`${path} is left out: ${error.message}`);
    return undefined;
  }
}

/** The array of a level. @throws AcqError `decode_failed` when it is missing */
export function readLevel(store: Store, group: ImageGroup, path: string): ZarrNode {
  const inside = insidePath(store, group.path, path);
  const node = readBelow(store, inside, group.version, 'array');
  if (!node) {
    throw decodeFailed(`${joinPath(store.name, inside)}: the array that "multiscales" name is not in the store`);
  }
  return node;
}
