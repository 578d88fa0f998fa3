import { about } from '../../base/subject.js';
import type { Reader } from '../../model/acquisition.js';
import { toScene } from './metadata.js';
import { openPair } from './pair.js';
import { readHeader } from './parse.js';
import { readChannel } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

/** Reads arbitrary line scans. The mirror positions (`.scnnr.dat`) are ignored. */
export const reader: Reader = {
  open: async (input) => {
    const { header, samples } = openPair(input);
    const scene = about(samples.name, () =>
      toScene(
        samples,
        about(header.name, () => readHeader(header)),
      ),
    );
    const channels = scene.channels.length;
    return {
      info: { format: 'pmt.dat', scenes: [scene] },
      files: () => [header.name, samples.name],
      listMetadata: async (_scene, list) => listMetadata(header, list),
      readPlane: async ({ channel }, target, signal) => readChannel(samples, { channel, channels }, target, signal),
    };
  },
};
