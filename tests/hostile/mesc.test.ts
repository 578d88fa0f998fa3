import { openBytes } from '../support/memory.js';
import { type MescUnit, writeMesc } from '../writers/mesc.js';
import { describeDamagedFiles } from './damaged-files.js';
import { hostileCases } from './mutate.js';

const MOVIE: MescUnit = {
  shape: [2, 16, 20],
  names: ['UG', 'UR'],
  value: (channel, index) => (48_271 * (640 * channel + index)) % 65_521,
  chunks: [1, 16, 20],
  filters: ['shuffle', 'gzip'],
  methodType: 1,
  pixel: 0.5,
  third: { title: 't', unit: 'ms', scale: 16 },
  seconds: 1_790_000_000,
};
const LINES: MescUnit = {
  shape: [1, 6, 4],
  value: (_, index) => 5000 + index,
  methodType: 6,
  cycleMs: 2.5,
  lines: { columns: [[0, 1], [2, 3]], pixelSize: 0.25 }, // biome-ignore format: one line
  background: '/MSession_0/MUnit_0',
};
const units = { 'MSession_0/MUnit_0': MOVIE, 'MSession_0/MUnit_1': LINES };
const FILES = [
  { name: 'old metadata', bytes: writeMesc({ units }) },
  { name: 'new metadata', bytes: writeMesc({ units, kind: 'new' }) },
];
const open = (bytes: Uint8Array) => openBytes('demo.mesc', bytes);

describeDamagedFiles('damaged MESc files', { cases: hostileCases(9_000), files: FILES, open, blind: 0.03 });
