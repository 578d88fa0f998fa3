import { describe, expect, it } from 'vitest';
import { openLsm } from '../../src/formats/lsm/index.js';
import { MemorySource } from '../../src/io/byte-source.js';
import { openTiff } from '../../src/tiff/parse.js';
import { readHonestly } from '../support/honest.js';
import { frames, lineScan } from '../support/lsm.js';
import { writeLsm } from '../writers/lsm.js';
import { lsmVector } from '../writers/lsm-vector.js';
import { hostileCases, mutate } from './mutate.js';

const FILES = [
  { name: 'line scan', bytes: lsmVector() },
  { name: 'frames', bytes: writeLsm(frames()) },
  { name: 'positions in LZW', bytes: writeLsm(frames({ lzw: 'open', predictor: 2, info: { P: 2, M: 2, Z: 1 } })) },
  { name: 'interleaved LZW', bytes: writeLsm(lineScan({ interleaved: true, lzw: 'closed', blocks: 'end' })) },
];

function open(bytes: Uint8Array) {
  return openLsm(openTiff(new MemorySource('damaged.lsm', bytes)));
}

describe('damaged LSM', () => {
  const perFile = Math.ceil(hostileCases() / FILES.length);

  it.each(FILES)(`$name, ${perFile} cases`, { timeout: 3_600_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) outcomes[await honest(i, mutate(bytes, i))]++;
    expect(outcomes.opened).toBeGreaterThan(perFile / 10);
    expect(outcomes.refused).toBeGreaterThan(perFile / 20);
  });

  it.each(FILES)('cut at every byte: $name', async ({ bytes }) => {
    for (let cut = 0; cut < bytes.length; cut++) await honest(cut, bytes.slice(0, cut));
  });
});

async function honest(seed: number, bytes: Uint8Array) {
  try {
    return await readHonestly(() => open(bytes));
  } catch (error) {
    throw new Error(`case ${seed}: ${(error as Error).stack}`);
  }
}
