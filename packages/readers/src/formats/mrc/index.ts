import type { Reader } from '../../model/acquisition.js';
import { toScene } from './metadata.js';
import { parseMrc } from './parse.js';
import { readSection } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open: async ({ source }) => {
    const raw = parseMrc(source!);
    const scene = toScene(raw, source!.size);
    return {
      info: { format: 'mrc', scenes: [scene] },
      listMetadata: async (_scene, list) => listMetadata(raw, list),
      readPlane: async (address, target, signal) => readSection(source!, raw, scene, address, target, signal),
    };
  },
};
