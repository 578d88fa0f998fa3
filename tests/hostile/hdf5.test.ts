import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { type H5Group, writeHdf5 } from '../writers/hdf5.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const tags = { axistags: { vlen: JSON.stringify({ axes: [...'tyxc'].map((key) => ({ key })) }) } };
const members: H5Group['members'] = {
  data: {
    data: Uint16Array.from({ length: 640 }, (_, i) => (48_271 * i) % 65_521),
    shape: [2, 16, 20],
    chunks: [1, 8, 20],
    filters: ['shuffle', 'gzip'],
  },
  deep: {
    members: {
      probabilities: { data: Float32Array.from({ length: 80 }, (_, i) => i / 7), shape: [2, 4, 5, 2], attrs: tags },
    },
  },
};
const FILES = [
  { name: 'old metadata', bytes: writeHdf5({ members }) },
  { name: 'new metadata', bytes: writeHdf5({ members }, { kind: 'new' }) },
];
const open = (bytes: Uint8Array) => openBytes('demo.h5', bytes);

describe('damaged HDF5 arrays', () => {
  const perFile = Math.ceil(hostileCases(9_000) / FILES.length);

  it.each(FILES)(`$name, ${perFile} cases`, { timeout: 7_200_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(perFile / 50);
    expect(outcomes.refused).toBeGreaterThan(perFile / 50);
  });

  it.each(FILES)('$name, cut at each of 128 places: true planes', async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 128));
  });

  it.each(FILES)(`$name, ${perFile} times a few bytes: true planes`, { timeout: 7_200_000 }, async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueChanges(Math.ceil(perFile / 2), 0.04);
  });
});
