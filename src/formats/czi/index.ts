/** Zeiss CZI (ZISRAW container): ZEN, LSM 7xx to 9xx, Lightsheet, Axioscan. See `docs/formats/czi.md`. */
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { decodeFailed, unsupported } from '../../errors.js';
import { openParts } from './parts.js';
import { openScenes } from './scenes.js';

export const cziReader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, probe, folder } = input;
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .czi file inside it`);
  const parts = openParts(probe.name, source, folder);
  const { scenes } = openScenes(probe.name, parts);
  return {
    info: { format: 'czi', scenes: scenes.map(({ info }) => info) },
    async readPlane({ scene, channel, t, z }, target, signal) {
      const opened = scenes[scene];
      if (!opened) throw decodeFailed(`${probe.name}: has no scene ${scene}`);
      await opened.read(channel, { t, z }, target, signal);
    },
  };
}
