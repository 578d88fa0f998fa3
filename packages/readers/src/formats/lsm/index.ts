import { decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import type { Acquisition, Reader } from '../../model/acquisition.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';
import { readShape } from './image-shape.js';
import { toScenes } from './metadata.js';
import { findImagePages } from './pages.js';
import { readHeader } from './parse.js';
import { planImages } from './plan.js';
import { readColumns } from './plane-columns.js';
import { LsmPlaneReader } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

/** Reads Zeiss LSM: a TIFF that breaks a few rules. See `docs/formats/lsm.md`. */
export const reader: Reader = {
  open: async ({ source }) => {
    if (!source) throw decodeFailed('is a folder. Open the .lsm file inside it.');
    return openLsm(openTiff(source));
  },
};

/** Opens the acquisition in a TIFF. Reads tags and the blocks of the header, no pixels. */
export function openLsm(file: TiffFile): Acquisition {
  const notes = new Notes();
  notes.addAll(file.warnings);
  const header = readHeader(file, notes);
  const shape = readShape(file, header.dataTypes);
  const pages = findImagePages(file);
  const plan = planImages(header.info, pages.count);
  const planes = new LsmPlaneReader(file, pages, plan, shape);
  notes.addAll(pages.warnings);
  notes.addAll(planes.findLosses());
  const scenes = toScenes(header, plan, shape, planes.rows);
  return {
    info: {
      format: 'lsm',
      scenes: scenes.map((scene) => ({ ...scene, warnings: [...notes.list(), ...scene.warnings] })),
    },
    interleaved: () => shape.interleaved && shape.channels > 1 && shape.compression !== 1,
    scratchBytes: () => planes.scratchBytes,
    readsOnce: () => shape.interleaved && shape.channels > 1 && shape.compression === 1,
    readPlane: ({ channel, ...plane }, target, signal) => planes.read(plane, [channel], [target], signal),
    readChannels: (plane, channels, targets, signal) => planes.read(plane, channels, targets, signal),
    readPlaneColumns: async (scene) => {
      const info = scenes[scene];
      return info ? readColumns(file.source, header.info, plan, { scene, info }) : {};
    },
    listMetadata: async (_scene, list) => listMetadata(file, header.info, list),
  };
}
