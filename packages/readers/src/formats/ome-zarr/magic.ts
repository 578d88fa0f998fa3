import { isZip } from '../../io/zip.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** Metadata documents of Zarr 2 and 3. */
const DOCUMENT = /^(zarr\.json|\.z(array|attrs|group|metadata))$/;
/** A chunk: `0`, `0.1.2`, or the first folder of Zarr 3. */
const CHUNK = /^(c[./])?\d+(\.\d+)*$/;

const FOLDERS = ['.ome.zarr', '.zarr', '.cs.ome.zarr'];
const ARCHIVES = ['.ome.zarr.zip', '.zarr.zip', '.ozx', '.cs.ome.zarr.zip'];
/** Any zip archive may contain OME-Zarr; its contents decide. */
export const EXTENSIONS = [...FOLDERS.slice(0, 2), ...ARCHIVES.slice(0, 3), '.cs.ome.zarr', '.cs.ome.zarr.zip', '.zip'];

/** OME-XML of a whole store in the folder `OME` (bioformats2raw). */
const OME_XML = 'METADATA.ome.xml';

/** The file in which the Python acqstore lists the images of a collection. */
export const COLLECTION = 'acqstore/acq_image_collection.json';

/** True for the name of a metadata document. */
export function isDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

/** True for a path that only occurs in Zarr stores: a metadata document, or the list of a collection. */
export function isStorePath(path: string): boolean {
  return isDocument(path.slice(path.lastIndexOf('/') + 1)) || isCollectionList(path);
}

export function isCollectionList(path: string): boolean {
  return path === COLLECTION || path.endsWith(`/${COLLECTION}`);
}

/** Returns the format label of a store: its extension without the dot. */
export function formatLabel({ name, kind }: Probe): string {
  const [usual, known] = kind === 'directory' ? ['ome.zarr', FOLDERS] : ['ome.zarr.zip', ARCHIVES];
  const matches = known.filter((extension) => name.toLowerCase().endsWith(extension));
  return matches.sort((a, b) => b.length - a.length)[0]?.slice(1) ?? usual;
}

/** All zip archives begin alike, so they are only a possible match until their contents are listed. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind === 'file') return isZip(probe.head) ? 'maybe' : false;
  return probe.entries.some(isDocument) ? 'sure' : isCollection(probe) ? 'maybe' : false;
}

/** A collection has its list in a folder, and no document at the top. */
function isCollection(probe: Probe): boolean {
  return probe.entries.includes('acqstore') || /\.zarr$/i.test(probe.name);
}

/**
 * Returns the folder that a file in a store belongs to. Inside a folder named `.zarr`, that is this folder. Elsewhere, a
 * document belongs to its group, and the document of an array to the group that contains the array.
 */
export function home(path: string): string | undefined {
  const [, inside, name] = /^(.*)[\\/]([^\\/]+)$/.exec(path) ?? [];
  if (inside === undefined || name === undefined) return undefined;
  const store = /^.*\.zarr(?=[\\/]|$)/i.exec(inside)?.[0];
  if (store !== undefined) return isDocument(name) || CHUNK.test(name) || name === OME_XML ? store : undefined;
  if (name === '.zarray') return /^(.+)[\\/][^\\/]+$/.exec(inside)?.[1];
  return isDocument(name) ? inside : undefined;
}
