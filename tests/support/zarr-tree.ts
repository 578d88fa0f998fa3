/** The OME-Zarr of an opened acquisition, in memory, as independent readers see it. */

import { inOnePiece, readChunk } from '../../packages/readers/src/derive/zarr/chunk.js';
import type { ZarrImage } from '../../packages/readers/src/derive/zarr/images.js';
import { type ChunkAddress, parseKey } from '../../packages/readers/src/derive/zarr/keys.js';
import { halve } from '../../packages/readers/src/derive/zarr/levels.js';
import {
  documentText,
  storedDocuments,
  type TreeDetails,
  zarrDocuments,
} from '../../packages/readers/src/derive/zarr/tree.js';
import type { ZarrVersion } from '../../packages/readers/src/derive/zarr/versions.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import type { StoreFiles } from '../writers/ome-zarr.js';
import { openFiles } from './ome-zarr.js';

/** A store as zarrita takes it. */
export interface TreeStore {
  get(key: string): Promise<Uint8Array | undefined>;
}

export const DETAILS: TreeDetails = { name: 'scan.tif', fileSize: '1.0 KB', revision: 'ab'.repeat(32) };

/** Returns the tree of a version as a store. */
export function treeStore(acquisition: Acquisition, version: ZarrVersion): TreeStore {
  const documents = zarrDocuments(acquisition.info, version, DETAILS);
  return {
    async get(key) {
      const name = key.slice(1);
      const parsed = parseKey(acquisition.info, version, name);
      const document = documents.get(name);
      if ((parsed?.kind === 'document') !== (document !== undefined)) throw new Error(`${name} is not in both lists`);
      if (document !== undefined) {
        return new TextEncoder().encode(documentText(document));
      }
      if (parsed?.kind !== 'chunk') return undefined;
      const { image, place } = parsed;
      const plane = await readImagePlane(acquisition, image, place);
      const views = readChunk(image, place, inOnePiece(halveTimes(plane, image, place.level)));
      return Buffer.concat(views);
    },
  };
}

/**
 * Opens the documents of a tree with our own reader of OME-Zarr.
 * @param form as the server has them, or as exports write them
 */
export function reopen(acquisition: Acquisition, version: ZarrVersion, form: 'served' | 'stored'): Acquisition {
  const files: StoreFiles = new Map();
  const list = form === 'served' ? zarrDocuments : storedDocuments;
  for (const [key, document] of list(acquisition.info, version, DETAILS)) {
    files.set(key, new TextEncoder().encode(documentText(document)));
  }
  return openFiles(files);
}

/** Reads a plane of a scene or reference image in the sample type of the file. */
export async function readImagePlane(
  acquisition: Acquisition,
  { scene, kind, sampleType, sizes }: ZarrImage,
  { channel, t, z }: Pick<ChunkAddress, 'channel' | 't' | 'z'>,
): Promise<SampleArray> {
  const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
  if (kind === 'channel') await acquisition.readPlane({ scene, channel, t, z }, target);
  else await acquisition.readReference?.(scene, channel, target);
  return target.data;
}

/** Returns a level of a plane. */
export function halveTimes(plane: SampleArray, { levels }: ZarrImage, level: number): SampleArray {
  return levels.slice(0, level).reduce((samples, { rows, columns }) => halve(samples, rows, columns), plane);
}
