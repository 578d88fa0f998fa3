import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { writeDeltaVision } from '../writers/deltavision.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const samples = Array.from({ length: 80 }, (_, i) => 1000 + 7 * i);
const sections = [0, 1, 2, 3].map((i) => ({ time: i, z: i }));
const FILE = writeDeltaVision({
  type: 'int16',
  size: [5, 4, 4],
  samples,
  waves: 2,
  sequence: 2,
  cell: [1, 1, 1],
  sections,
});
const NEWER = writeDeltaVision({
  type: 'int16',
  size: [5, 4, 4],
  samples,
  sequence: 5,
  newer: { panels: 2, seconds: 1e9 },
});
const open = (bytes: Uint8Array) => openBytes('demo.dv', bytes);

describe('a corrupted DeltaVision file', () => {
  const cases = hostileCases(20_000);

  it(`is refused or opened, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) outcomes[await honest(i, () => open(mutate(i % 2 ? FILE : NEWER, i)))]++;
    expect(Math.min(outcomes.opened, outcomes.refused)).toBeGreaterThan(cases / 50);
  });

  it('shows true planes when it is truncated', async () => {
    await (await Witness.of(FILE, open)).expectTrueCuts(cutLengths(FILE, 128));
  });
});
