import { describe, expect, it } from 'vitest';
import { frames, lineScan } from '../support/lsm.js';
import { openBytes } from '../support/memory.js';
import { writeLsm } from '../writers/lsm.js';
import { lsmVector } from '../writers/lsm-vector.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const FILES = [
  { name: 'line scan', bytes: lsmVector() },
  { name: 'frames', bytes: writeLsm(frames()) },
  { name: 'positions in LZW', bytes: writeLsm(frames({ lzw: 'open', predictor: 2, info: { P: 2, M: 2, Z: 1 } })) },
  { name: 'interleaved LZW', bytes: writeLsm(lineScan({ interleaved: true, lzw: 'closed', blocks: 'end' })) },
];

const open = (bytes: Uint8Array) => openBytes('damaged.lsm', bytes);

describe('a corrupted LSM', () => {
  const perFile = Math.ceil(hostileCases() / FILES.length);

  it.each(FILES)(
    `with $name is refused or read honestly, ${perFile} cases`,
    { timeout: 3_600_000 },
    async ({ bytes }) => {
      const outcomes = { refused: 0, opened: 0 };
      for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
      expect(outcomes.opened).toBeGreaterThan(perFile / 10);
      expect(outcomes.refused).toBeGreaterThan(perFile / 20);
    },
  );

  it.each(FILES)('with $name has true planes only when it is truncated at any of 1,024 places', async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 1024));
  });

  it.each(FILES)(
    `with $name has true planes only after changes of a few bytes, ${perFile} cases`,
    { timeout: 7_200_000 },
    async ({ bytes }) => {
      await (await Witness.of(bytes, open)).expectTrueChanges(perFile, 0.1);
    },
  );
});
