import { openBytes } from '../support/memory.js';
import { type ObfStackSpec, writeObf } from '../writers/obf.js';
import { describeDamagedFiles } from './damaged-files.js';
import { hostileCases } from './mutate.js';

const counting = (count: number, start: number) => Uint16Array.from({ length: count }, (_, i) => start + 7 * i);
const X = { size: 20, label: 'X', length: 5e-7 };
const Y = { size: 16, label: 'Y', length: 4e-7 };
const volume: ObfStackSpec = { axes: [X, Y, { size: 3, label: 'Z', length: 1e-6 }], samples: counting(960, 100) };
const line: ObfStackSpec = {
  axes: [X, { size: 6, label: 'T', length: 0.01, unit: 's', positions: [0, 1, 2, 3, 4, 5] }],
  samples: counting(120, 9000),
  tags: { imspector: '<doc/>' },
};
const FILES = [
  { name: 'plain', bytes: writeObf({ stacks: [volume, line] }) },
  { name: 'packed', bytes: writeObf({ stacks: [{ ...volume, packed: true }, line] }) },
  { name: 'in pieces', bytes: writeObf({ stacks: [{ ...volume, version: 6, pieceBytes: 500 }] }) },
];
const open = (bytes: Uint8Array) => openBytes('demo.obf', bytes);

describeDamagedFiles('damaged OBF files', { cases: hostileCases(12_000), files: FILES, open });
