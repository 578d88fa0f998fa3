/** DeltaVision: one file with all planes. See `docs/formats/deltavision.md`. */

import { Notes } from '../../base/notes.js';
import type { Reader } from '../../model/acquisition.js';
import { type Layout, sampleTypeOf, toScenes } from './metadata.js';
import { planeAxes } from './order.js';
import { parseDeltaVision } from './parse.js';
import { readColumns, readPlane } from './planes.js';
import { sectionValues } from './sections.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open: async ({ source }) => {
    const raw = parseDeltaVision(source!);
    const notes = new Notes();
    const axes = planeAxes(raw, notes);
    const layout: Layout = { raw, sampleType: sampleTypeOf(raw), axes, sectionValue: sectionValues(source!, raw) };
    const scenes = toScenes(layout, source!.size, notes);
    return {
      info: { format: 'dv', scenes },
      listMetadata: async (_scene, list) => listMetadata(raw, list),
      readPlaneColumns: async (scene) => (scenes[scene] ? readColumns(layout, scene, scenes[scene]) : {}),
      readPlane: async (address, target, signal) => readPlane(source!, layout, address, target, signal),
    };
  },
};
