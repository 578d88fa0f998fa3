/** Zeiss ZVI (AxioVision): one compound file with a stream for each plane. See `docs/formats/zvi.md`. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { hasOleStream } from '../../io/ole.js';
import type { Reader } from '../../model/acquisition.js';
import { arrange } from './arrange.js';
import { toSceneInfo } from './metadata.js';
import { isImageStream, parseZvi } from './parse.js';
import { PlaneTags, readColumns } from './plane-tags.js';
import { scratchBytes, ZviPlanes } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  claims: ({ source }) => source !== undefined && hasOleStream(source, isImageStream),
  open: async ({ source }) => {
    if (!source) throw unsupported('is a folder. Open the .zvi file inside it.');
    const zvi = parseZvi(source);
    const planes = new ZviPlanes(zvi.ole);
    const scenes = arrange(zvi.planes).map((scene) => ({ scene, tags: new PlaneTags(zvi, scene) }));
    const sceneAt = (index: number) => {
      const found = scenes[index];
      if (!found) throw decodeFailed(`scene ${index} is missing`);
      return found;
    };
    return {
      info: { format: 'zvi', scenes: scenes.map(({ scene, tags }) => toSceneInfo(zvi, scene, tags)) },
      interleaved: (index) => sceneAt(index).scene.form.samples > 1 && scratchBytes(sceneAt(index).scene) > 0,
      scratchBytes: (index) => scratchBytes(sceneAt(index).scene),
      readPlane: (address, target, signal) => planes.read(sceneAt(address.scene).scene, address, target, signal),
      readPlaneColumns: async (index) => readColumns(sceneAt(index).scene, sceneAt(index).tags),
      listMetadata: async (index, list) => listMetadata(zvi, sceneAt(index).scene, sceneAt(index).tags, list),
    };
  },
};
