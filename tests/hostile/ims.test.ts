import { describe, expect, it } from 'vitest';
import { volume } from '../support/hdf5.js';
import { openBytes } from '../support/memory.js';
import { writeIms } from '../writers/ims.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const FILES = [
  { name: 'old metadata', bytes: writeIms(volume({ chunks: [1, 3, 2], filters: ['shuffle', 'gzip'] })) },
  { name: 'old metadata, LZ4', bytes: writeIms(volume({ chunks: [2, 4, 5], filters: ['lz4'] })) },
  { name: 'new metadata', bytes: writeIms(volume({ chunks: [1, 3, 2], filters: ['lzf'], kind: 'new' })) },
];

const open = (bytes: Uint8Array) => openBytes('demo.ims', bytes);

describe('damaged Imaris files', () => {
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
    await (await Witness.of(bytes, open)).expectTrueChanges(Math.ceil(perFile / 2), 0.03);
  });
});
