/** Zeiss CZI (ZISRAW container): ZEN, LSM 7xx to 9xx, Lightsheet, Axioscan. See `docs/formats/czi.md`. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { lastPart } from '../../io/paths.js';
import type { Acquisition, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { openParts } from './parts.js';
import { findReference, withReference } from './reference.js';
import { openScenes } from './scenes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open: async ({ source, probe, folder }) => {
    if (!source) throw unsupported('is a folder. Open the .czi file inside it.');
    const parts = openParts(source, folder);
    const container = openScenes(parts);
    const { scenes } = container;
    const found = await findReference(container, parts);
    const infos = scenes.map((scene) => withReference(scene, found));
    const part = parts.named === 0 ? undefined : probe.name;
    const named = namedPart(part, lastPart(parts.main.name), infos, () => container.firstOfPart(parts.named));
    const readChannels: NonNullable<Acquisition['readChannels']> = async ({ scene, ...plane }, ...rest) => {
      const opened = scenes[scene];
      if (!opened) throw decodeFailed(`there is no scene ${scene}`);
      await opened.readChannels(plane, ...rest);
    };
    return {
      info: { format: 'czi', scenes: infos, ...named },
      files: () => parts.files(),
      bands: (scene) => scenes[scene]?.countBands() ?? 1,
      scratchBytes: (scene) => scenes[scene]?.scratchBytes() ?? 0,
      readsOnce: (scene) => scenes[scene]?.readsOnce() ?? false,
      readPlane: ({ channel, ...plane }, target, signal) => readChannels(plane, [channel], [target], signal),
      readChannels,
      async readReference(_scene, channel, target, signal) {
        if (!found.image) throw decodeFailed('there is no reference image');
        await found.image.read({ channel, t: 0, z: 0 }, target, signal);
      },
      listMetadata: async (_scene, list) => listMetadata(parts, list),
      readPlaneColumns: async (scene) => scenes[scene]?.readPlaneColumns() ?? {},
    };
  },
};
