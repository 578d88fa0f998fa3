import { expect, it } from 'vitest';
import type { SessionRecord } from '../../../packages/server/src/sessions/record.js';
import { SessionRegistry } from '../../../packages/server/src/sessions/registry.js';
import { MemoryStore } from '../../../packages/server/src/sessions/store-memory.js';

const TTL = 60_000;
const limits = { ttlMs: TTL, total: 10, perOwner: 10 };

/** A registry whose store takes some time, by a clock of its own. */
function create(storeMs: number) {
  const clock = { now: 1_000_000 };
  const ended: string[] = [];
  class SlowStore extends MemoryStore {
    override add(...args: Parameters<MemoryStore['add']>) {
      clock.now += storeMs;
      return super.add(...args);
    }
    override async renew(...args: Parameters<MemoryStore['renew']>) {
      clock.now += storeMs;
      return super.renew(...args);
    }
  }
  const registry = new SessionRegistry({
    store: new SlowStore(() => clock.now),
    now: () => clock.now,
    maxSessions: 10,
    onEnd: ({ id }) => ended.push(id),
    report: (error) => {
      throw error;
    },
  });
  const record = {
    ...{ id: 'one', api: 'v2', openedBy: { kind: 'program' }, fingerprints: [], isWarmUp: false },
    ...{ openedAt: clock.now, ttlSeconds: TTL / 1000, expiresAt: clock.now + TTL },
  } as unknown as SessionRecord;
  return { registry, record, clock, ended };
}

it('a session lives for its whole time from when a slow store has it', async () => {
  const { registry, record, clock, ended } = create(20_000);
  expect(await registry.add(record, limits, () => true)).toBe(true);
  expect(record.expiresAt).toBe(clock.now + TTL);
  clock.now += TTL - 1;
  registry.sweep();
  expect(registry.find('one')).toBe(record);
  clock.now += 1;
  expect(() => registry.find('one')).toThrow('does not exist');
  expect(ended).toEqual(['one']);
});

it('a session lives for its whole time from when a slow store has renewed it', async () => {
  const { registry, record, clock } = create(20_000);
  await registry.add(record, limits, () => true);
  clock.now += TTL / 2;
  await registry.renew('one');
  expect(record.expiresAt).toBe(clock.now + TTL);
  clock.now += TTL - 1;
  expect(registry.has('one')).toBe(true);
  clock.now += 1;
  expect(registry.has('one')).toBe(false);
});

it('a session whose client has left is not kept, here or in the store', async () => {
  const { registry, record, ended } = create(0);
  expect(await registry.add(record, limits, () => false)).toBe(false);
  expect([registry.records, await registry.store.find('one'), ended]).toEqual([[], undefined, ['one']]);
});
