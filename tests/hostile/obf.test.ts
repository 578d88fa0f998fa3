import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { type ObfStackSpec, writeObf } from '../writers/obf.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

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

describe('damaged OBF files', () => {
  const perFile = Math.ceil(hostileCases(12_000) / FILES.length);

  it.each(FILES)(`$name, ${perFile} cases`, { timeout: 7_200_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(perFile / 50);
    expect(outcomes.refused).toBeGreaterThan(perFile / 50);
  });

  it.each(FILES)('$name, cut at each of 128 places: true planes', async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 128));
  });
});
