/** Groups and arrays of a hierarchy, Zarr 2 or 3. */
import { unsupported } from '../../errors.js';
import { type JsonObject, objectOf, parseDocument, textOf } from './json.js';
import { joinPath, type Store } from './store.js';

export interface ZarrNode {
  /** Below the root of the store; empty for the root. */
  path: string;
  version: 2 | 3;
  kind: 'group' | 'array';
  attributes: JsonObject;
  /** `.zarray` or `zarr.json` of an array. */
  array: JsonObject;
}

/**
 * A group below one of Zarr 2 is looked for as such first, and an array without its attributes, which say nothing about
 * pixels: a plate has thousands of both, and every look may go over a network.
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
 * What is at `path`; `undefined` when there is neither a group nor an array.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function readNode(store: Store, path: string): ZarrNode | undefined {
  const third = readThird(store, path);
  // Converters that went both ways leave both: the one that describes the image counts.
  if (third && (third.kind === 'array' || Object.keys(third.attributes).length > 0)) return third;
  return readSecond(store, path) ?? third;
}

/** The metadata of OME in a node: under `ome` since 0.5, at the top before, and what others keep at the top. */
export function omeOf({ attributes }: ZarrNode): JsonObject {
  return { ...attributes, ...objectOf(attributes['ome']) };
}

function readThird(store: Store, path: string): ZarrNode | undefined {
  const source = store.open(joinPath(path, 'zarr.json'));
  if (!source) return undefined;
  const document = parseDocument(source);
  if (document['zarr_format'] !== 3) {
    throw unsupported(`${source.name}: is of Zarr format ${clip(document['zarr_format'])}; 2 and 3 can be read`);
  }
  const kind = textOf(document['node_type']);
  if (kind !== 'group' && kind !== 'array') {
    throw unsupported(`${source.name}: is a Zarr node of the unknown type ${clip(document['node_type'])}`);
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

export function clip(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
