import { ignoreCorrupted } from '../../base/errors.js';
import { firstXmlElement } from '../../io/xml-blocks.js';
import type { Acquisition, AcquisitionInfo, OpenInput, Reader } from '../../model/acquisition.js';
import { arrangeFile } from './arrange.js';
import { tiffLabel } from './label.js';
import { isCompanion } from './magic.js';
import { checkScene, countBands, isInterleaved, readChannels, readPlane, readsOnce, scratchBytes } from './planes.js';

/** Opens a TIFF of any flavor, or the companion file of an OME-TIFF set. */
export const reader: Reader = { open, claims, loadSigns: async () => (await import('./part-signs.js')).readSigns };

/** False for OME-XML that contains its pixels, or no pixels at all. */
function claims({ probe, source }: OpenInput): boolean {
  if (!source || !isCompanion(probe)) return true;
  const find = (names: string[], after?: string) => ignoreCorrupted(() => firstXmlElement(source, names, after));
  const first = find(['BinaryOnly', 'Pixels']);
  return first === 'Pixels' ? find(['TiffData', 'BinData'], first) === 'TiffData' : first !== undefined;
}

async function open(input: OpenInput): Promise<Acquisition> {
  const arrangement = await arrangeFile(input);
  const { scenes, named, files } = arrangement;
  const readColumns = arrangement.readPlaneColumns?.bind(arrangement);
  const info: AcquisitionInfo = { format: tiffLabel(input.probe.name), scenes, ...(named ? { named } : {}) };
  return {
    info,
    ...(files ? { files } : {}),
    bands: (scene) => countBands(arrangement, scene),
    interleaved: (scene) => isInterleaved(arrangement, scene),
    readsOnce: (scene) => readsOnce(arrangement, scene),
    readChannels: (plane, channels, targets, signal) => readChannels(arrangement, plane, { channels, targets }, signal),
    scratchBytes: (scene) => scratchBytes(arrangement, scene),
    checkScene: (scene) => checkScene(arrangement, scene),
    readPlane: (address, target, signal) => readPlane(arrangement, address, target, signal),
    ...(readColumns && { readPlaneColumns: async (scene: number) => readColumns(scene) }),
    listMetadata: async (scene, list) => {
      const { listMetadata } = await import('./vendor-metadata.js');
      await listMetadata(input, { scene, scenes: scenes.length }, list);
    },
  };
}
