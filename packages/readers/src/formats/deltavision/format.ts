import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** DeltaVision microscopes and softWoRx (Applied Precision, GE), and programs that write their files (Priism). */
export const deltavisionFormat: Format = {
  id: 'deltavision',
  label: 'DeltaVision',
  group: 'DeltaVision',
  extensions: ['.dv', '.r3d', '.d3d', '.r3d_d3d'],
  pages: ['deltavision'],
  fileTypes: [
    { name: 'DeltaVision acquisition', mime: 'image/x-deltavision', extensions: ['.r3d', '.d3d', '.r3d_d3d'] },
  ],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
