/** Imaris IMS: resolution level 0 of its channels and time points. See `docs/formats/ims.md`. */

import { unsupported } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { isMarked } from '../../hdf5/contents.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { addHdf5 } from '../../model/metadata/flatten-hdf5.js';
import { toScene } from './metadata.js';
import { parseIms } from './parse.js';
import { ImsPlanes } from './planes.js';

export const reader: Reader = {
  open,
  claims: ({ source }) => source !== undefined && isMarked(source, 'ImarisDataSet'),
};

/** Members of the root without settings: samples, and the preview. */
const PIXELS = new Set(['DataSet', 'Thumbnail']);

async function open({ source, signal }: OpenInput): Promise<Acquisition> {
  if (!source) throw unsupported('is a folder. Open the .ims file inside it.');
  signal?.throwIfAborted();
  return openIms(source);
}

/** Opens an Imaris file. @throws AcqError `unsupported_format`, `decode_failed`, `plane_too_large` */
export function openIms(source: ByteSource): Acquisition {
  const file = new Hdf5File(source);
  const raw = parseIms(file);
  const notes = new Notes();
  const planes = new ImsPlanes(raw, notes);
  const scene = toScene(raw, planes, notes);
  const { bandRows, scratchBytes } = planes;
  return {
    info: { format: 'ims', scenes: [scene] },
    ...(bandRows === undefined ? {} : { bands: () => Math.ceil(scene.sizes.Y / bandRows) }),
    scratchBytes: () => scratchBytes,
    readPlane: (address, target, signal) => planes.read(address, target, signal),
    listMetadata: (_scene, list) => addHdf5(list, file, PIXELS),
  };
}
