import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { writeMrc } from '../writers/mrc.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const samples = Array.from({ length: 60 }, (_, i) => 1000 + 7 * i);
const FILE = writeMrc({ type: 'int16', size: [5, 4, 3], samples, cell: [10, 8, 30], extended: new Uint8Array(40) });
const open = (bytes: Uint8Array) => openBytes('demo.mrc', bytes);

describe('a corrupted MRC file', () => {
  const cases = hostileCases(20_000);

  it(`is refused or opened, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) outcomes[await honest(i, () => open(mutate(FILE, i)))]++;
    expect(Math.min(outcomes.opened, outcomes.refused)).toBeGreaterThan(cases / 50);
  });

  it('shows true planes when it is truncated', async () => {
    await (await Witness.of(FILE, open)).expectTrueCuts(cutLengths(FILE, 128));
  });
});
