import { getHeapSpaceStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../packages/server/src/collect-garbage.js';

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.physical_space_size ?? 0;

/** Makes objects until the young generation has grown. */
function grow(): void {
  const kept: object[] = [];
  for (let i = 0; i < 3_000_000; i++) kept[i % 100_000] = { i };
}

describe('collecting garbage', () => {
  it('forgets what nobody holds', async () => {
    const forgotten = new WeakRef({ bytes: new ArrayBuffer(1_000_000) });
    await collectGarbage();
    expect(forgotten.deref()).toBeUndefined();
  });

  it('makes the young generation small', async () => {
    grow();
    const grown = youngBytes();
    await collectGarbage();
    expect(youngBytes()).toBeLessThan(grown / 2);
  });
});
