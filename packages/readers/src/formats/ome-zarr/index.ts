/** OME-Zarr 0.1 to 0.6 in Zarr 2 and 3, as a folder or zipped. See `docs/formats/ome-zarr.md`. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { hasZipEntry, ZipArchive } from '../../io/zip.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { findImages } from './hierarchy.js';
import { type OpenedImage, openImages } from './images.js';
import { formatLabel, isStorePath } from './magic.js';
import { planeOfKey } from './named.js';
import { folderStore, type Store, zipStore } from './store.js';

export const reader: Reader = {
  open,
  claims: ({ source }) => source === undefined || hasZipEntry(source, isStorePath),
};

/** Entries of another archive that a message lists. */
const MAX_LISTED = 3;

async function open({ source, probe, folder, part, signal }: OpenInput): Promise<Acquisition> {
  const store = source ? openArchive(probe.name, new ZipArchive(source)) : folderStore(probe.name, folder);
  const acquisition = openStore(store, formatLabel(probe), signal, part);
  return source ? acquisition : { ...acquisition, files: () => 'folder' };
}

/** Opens a zip archive as a store. @throws AcqError `unsupported_format` for an archive of something else */
function openArchive(name: string, archive: ZipArchive): Store {
  const names = archive.names();
  if (names.some(isStorePath)) return zipStore(name, archive);
  if (names.length === 0) throw unsupported('is a ZIP archive without any files');
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  const shown = names.slice(0, MAX_LISTED).map((entry) => entry.slice(-100));
  throw unsupported(
    `is a ZIP archive without an OME-Zarr image or an OIR file; it contains ${shown.join(', ')}${more}. ` +
      'Unpack it and open a file in it.',
  );
}

/** Opens the acquisition in a store. @param named key of the file in the store that was opened */
export function openStore(store: Store, format: string, signal?: AbortSignal, named?: string): Acquisition {
  const images = openImages(store, findImages(store, signal), signal);
  const infos = images.map(({ info }) => info);
  const find = (key: string) =>
    planeOfKey(
      images.map(({ keys }) => keys),
      key,
    );
  const imageAt = (scene: number): OpenedImage => {
    const image = images[scene];
    if (!image) throw decodeFailed(`scene ${scene} is missing`);
    return image;
  };
  return {
    info: { format, scenes: infos, ...namedPart(named, store.name, infos, find) },
    bands: (scene) => imageAt(scene).bands,
    interleaved: (scene) => imageAt(scene).interleaved,
    scratchBytes: (scene) => imageAt(scene).scratchBytes,
    readPlane: (address, target, signal) => imageAt(address.scene).read(address, target, signal),
    readPlaneColumns: async (scene) => imageAt(scene).readColumns?.() ?? {},
    async listMetadata(scene, list) {
      const { listMetadata } = await import('./vendor-metadata.js');
      const groups = images.map(({ keys }) => keys.group);
      await listMetadata(store, groups, scene, list);
    },
    async readReference(scene, channel, target, signal) {
      const { reference } = imageAt(scene);
      if (!reference) throw decodeFailed(`scene ${scene} has no reference image`);
      await reference.read({ channel, t: 0, z: 0 }, target, signal);
    },
  };
}
