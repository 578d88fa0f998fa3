import type { Probe, Sniff } from '../../acquisition.js';
import { isZip } from '../../io/zip.js';

/** Metadata documents of Zarr 2 and 3. */
const DOCUMENT = /^(zarr\.json|\.z(array|attrs|group|metadata))$/;
/** A chunk: `0`, `0.1.2`, or the first folder of Zarr 3. */
const CHUNK = /^(c[./])?\d+(\.\d+)*$/;

const FOLDERS = ['.ome.zarr', '.zarr', '.cs.ome.zarr'];
const ARCHIVES = ['.ome.zarr.zip', '.zarr.zip', '.ozx', '.cs.ome.zarr.zip'];
/** A zip archive of any name is one of OME-Zarr when its content is. */
export const EXTENSIONS = [...FOLDERS.slice(0, 2), ...ARCHIVES.slice(0, 3), '.cs.ome.zarr', '.cs.ome.zarr.zip', '.zip'];

/** OME-XML of a whole store, in the folder `OME`: bioformats2raw. */
const OME_XML = 'METADATA.ome.xml';

/** What the Python acqstore lists the images of a collection in. */
export const COLLECTION = 'acqstore/acq_image_collection.json';

/** Whether a name in a store is that of a metadata document. */
export function isDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

/** Whether a path in a store is one that no other kind of file has: a document, or the list of a collection. */
export function isStorePath(path: string): boolean {
  return isDocument(path.slice(path.lastIndexOf('/') + 1)) || isCollectionList(path);
}

export function isCollectionList(path: string): boolean {
  return path === COLLECTION || path.endsWith(`/${COLLECTION}`);
}

/** The extension that a store's format is called by, without the dot. */
export function formatLabel({ name, kind }: Probe): string {
  const [usual, known] = kind === 'directory' ? ['ome.zarr', FOLDERS] : ['ome.zarr.zip', ARCHIVES];
  const own = known.filter((extension) => name.toLowerCase().endsWith(extension));
  return own.sort((a, b) => b.length - a.length)[0]?.slice(1) ?? usual;
}

/** Zip archives begin alike: what is in one is asked of its directory. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind === 'file') return isZip(probe.head) ? 'maybe' : false;
  return probe.entries.some(isDocument) ? 'sure' : isCollection(probe) ? 'maybe' : false;
}

/** A collection has its list in a folder of its own, and no document at the top. */
function isCollection(probe: Probe): boolean {
  return probe.entries.includes('acqstore') || /\.zarr$/i.test(probe.name);
}

/**
 * A document or a chunk inside a folder called `.zarr` stands for that folder; elsewhere, a document of a group stands
 * for the group, that of an array for the group that holds it.
 */
export function home(path: string): string | undefined {
  const [, inside, name] = /^(.*)[\\/]([^\\/]+)$/.exec(path) ?? [];
  if (inside === undefined || name === undefined) return undefined;
  const store = /^.*\.zarr(?=[\\/]|$)/i.exec(inside)?.[0];
  if (store !== undefined) return isDocument(name) || CHUNK.test(name) || name === OME_XML ? store : undefined;
  if (name === '.zarray') return /^(.+)[\\/][^\\/]+$/.exec(inside)?.[1];
  return isDocument(name) ? inside : undefined;
}
