/** Scanbox: samples without a header, and their settings in a MATLAB file. See `docs/formats/scanbox.md`. */

import { Notes } from '../../base/notes.js';
import { aboutAsync } from '../../base/subject.js';
import type { Reader } from '../../model/acquisition.js';
import { toLayout } from './layout.js';
import { toScene } from './metadata.js';
import { openSettings } from './pair.js';
import { parseInfo, readInfo } from './parse.js';
import { readFrame } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open: async (input) => {
    const samples = input.source!;
    const settings = openSettings(input);
    const { info, raw } = await aboutAsync(settings.name, async () => {
      const info = await readInfo(settings);
      return { info, raw: parseInfo(info) };
    });
    const notes = new Notes();
    const layout = toLayout(raw, samples.size, notes);
    const scene = toScene(raw, layout, notes);
    return {
      info: { format: 'sbx', scenes: [scene] },
      files: () => [samples.name, settings.name],
      bands: () => layout.rows,
      listMetadata: async (_scene, list) => listMetadata(info, list),
      readPlane: async (address, target, signal) => readFrame(samples, layout, address, target, signal),
    };
  },
};
