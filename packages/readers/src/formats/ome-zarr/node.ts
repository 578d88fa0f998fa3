/** Reads groups and arrays of a hierarchy, Zarr 2 or 3. */
import { unsupported } from '../../base/errors.js';
import { type JsonObject, objectOf, textOf } from '../../base/json.js';
import { shorten } from '../../base/wording.js';
import { parseDocument } from './json.js';
import { joinPath, type Store } from './store.js';

export interface ZarrNode {
  /** Path below the root of the store; empty for the root. */
  path: string;
  version: 2 | 3;
  kind: 'group' | 'array';
  attributes: JsonObject;
  /** `.zarray` or `zarr.json` of an array. */
  array: JsonObject;
}

/**
 * Reads a node below one of a known version. In Zarr 2, tries that version first and skips the attributes of arrays: a
 * plate has thousands of nodes, and every file may come over a network.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function readBelow(store: Store, path: string, version: 2 | 3, kind: ZarrNode['kind']): ZarrNode | undefined {
  if (version === 3) return readNode(store, path);
  if (kind === 'group') return readSecond(store, path) ?? readNode(store, path);
  const source = store.open(joinPath(path, '.zarray'));
  if (!source) return readNode(store, path);
  return { path, version: 2, kind: 'array', attributes: {}, array: parseDocument(source) };
}

/**
 * Reads the group or array at `path`; `undefined` when there is neither.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function readNode(store: Store, path: string): ZarrNode | undefined {
  const third = readThird(store, path);
  // Some converters leave both versions. Prefer the one that describes the image.
  if (third && (third.kind === 'array' || Object.keys(third.attributes).length > 0)) return third;
  return readSecond(store, path) ?? third;
}

/** Returns the OME metadata of a node: below `ome` since 0.5, at the top level before. */
export function omeOf({ attributes }: ZarrNode): JsonObject {
  return { ...attributes, ...objectOf(attributes['ome']) };
}

function readThird(store: Store, path: string): ZarrNode | undefined {
  const source = store.open(joinPath(path, 'zarr.json'));
  if (!source) return undefined;
  const document = parseDocument(source);
  if (document['zarr_format'] !== 3) {
    throw unsupported(`Zarr format ${clip(document['zarr_format'])} is not supported (only 2 and 3)`).about(
      source.name,
    );
  }
  const kind = textOf(document['node_type']);
  if (kind !== 'group' && kind !== 'array') {
    throw unsupported(`Zarr node type ${clip(document['node_type'])} is not supported`).about(source.name);
  }
  return { path, version: 3, kind, attributes: objectOf(document['attributes']) ?? {}, array: document };
}

function readSecond(store: Store, path: string): ZarrNode | undefined {
  const array = store.open(joinPath(path, '.zarray'));
  const attributes = store.open(joinPath(path, '.zattrs'));
  if (!array && !attributes && !store.open(joinPath(path, '.zgroup'))) return undefined;
  return {
    path,
    version: 2,
    kind: array ? 'array' : 'group',
    attributes: attributes ? parseDocument(attributes) : {},
    array: array ? parseDocument(array) : {},
  };
}

/** Formats a value of a document for messages, shortened. */
export function clip(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'none', 60);
}
