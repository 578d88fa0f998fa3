import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../../packages/server/src/sessions/record.js';
import { SessionRegistry } from '../../../packages/server/src/sessions/registry.js';
import type { SessionServiceOptions } from '../../../packages/server/src/sessions/service-options.js';
import type { SessionStore } from '../../../packages/server/src/sessions/store.js';

const TTL = 60_000;
const PROGRAM = { kind: 'program', origin: undefined } as const;
const present = new AbortController().signal;
const left = AbortSignal.abort(new Error('left'));

/** A registry with a clock of its own. */
function create(options: Partial<SessionServiceOptions> = {}) {
  const clock = { now: 1_000_000 };
  const ended: string[] = [];
  const report = (error: unknown) => {
    throw error;
  };
  const registry = new SessionRegistry(
    { maxSessions: 10, report, ...options },
    () => clock.now,
    ({ id }) => ended.push(id),
  );
  const make = (id: string, more: Partial<SessionRecord> = {}) =>
    ({
      ...{ id, api: 'v2', openedBy: PROGRAM, fingerprints: [], isWarmUp: false },
      ...{ openedAt: clock.now, ttlSeconds: TTL / 1000, expiresAt: clock.now + TTL },
      ...more,
    }) as unknown as SessionRecord;
  return { registry, make, record: make('one'), clock, ended };
}

describe('with a store that takes 20 seconds', () => {
  /** What the store has. */
  const kept = new Set<string>();
  function createSlow() {
    const created = create({
      store: {
        async add({ id }) {
          created.clock.now += 20_000;
          kept.add(id);
        },
        async renew(_id, ttlMs) {
          created.clock.now += 20_000;
          return { record: {}, remainingMs: ttlMs };
        },
        remove: async (id) => kept.delete(id),
      } as Partial<SessionStore> as SessionStore,
    });
    return created;
  }

  it('a session lives for its whole time from when the store has it', async () => {
    const { registry, record, clock } = createSlow();
    await registry.add(record, present);
    expect(record.expiresAt).toBe(clock.now + TTL);
    clock.now += TTL - 1;
    expect(registry.find('one')).toBe(record);
    clock.now += 1;
    expect(() => registry.find('one')).toThrow('does not exist');
  });

  it('a session lives for its whole time from when the store has renewed it', async () => {
    const { registry, record, clock } = createSlow();
    await registry.add(record, present);
    clock.now += TTL / 2;
    await registry.renew('one');
    expect(record.expiresAt).toBe(clock.now + TTL);
    clock.now += TTL - 1;
    expect(registry.has('one')).toBe(true);
    clock.now += 1;
    expect(registry.has('one')).toBe(false);
  });

  it('a session whose client has left is not kept, here or in the store', async () => {
    const { registry, record, ended } = createSlow();
    await expect(registry.add(record, left)).rejects.toThrow('left');
    expect([registry.records, kept.has('one'), ended]).toEqual([[], false, ['one']]);
  });
});

describe('without a store', () => {
  it('a session is found and renewed until its time is over, by whatever asks first', async () => {
    for (const ask of ['find', 'enter', 'sweep', 'remove']) {
      const { registry, record, clock, ended } = create();
      await registry.add(record, present);
      clock.now += TTL / 2;
      expect(await registry.renew('one')).toBe(record);
      clock.now += TTL - 1;
      registry.sweep();
      expect([await registry.enter('one'), registry.find('one')]).toEqual([record, record]);
      clock.now += 1;
      if (ask === 'find') expect(() => registry.find('one')).toThrow('does not exist');
      else if (ask === 'enter') expect(await registry.enter('one')).toBeUndefined();
      else if (ask === 'sweep') registry.sweep();
      else await expect(registry.remove('one')).rejects.toThrow('does not exist');
      expect([registry.records, ended]).toEqual([[], ['one']]);
    }
  });

  it('a session whose client has left is not kept', async () => {
    const { registry, record, ended } = create();
    await expect(registry.add(record, left)).rejects.toThrow('left');
    expect([registry.records, ended]).toEqual([[], ['one']]);
  });

  it('sessions are admitted up to the limit, also when they come at the same time', async () => {
    const { registry, make, ended } = create({ maxSessions: 3 });
    const added = ['a', 'b', 'c', 'd'].map((id) => registry.add(make(id, { owner: 'ana' }), present));
    const results = await Promise.allSettled(added);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect((results[3] as PromiseRejectedResult).reason.message).toContain('The server holds 3 sessions');
    expect([registry.records.map(({ id }) => id), ended]).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('the sessions and opens of each owner are counted, until they end', async () => {
    const { registry, make, clock } = create({ maxSessionsPerOwner: 2, opensPerOwner: 2 });
    const begin = (owner?: string) => registry.beginOpen(PROGRAM, owner);
    const [first, second] = [begin('ana'), begin('ana')];
    expect(() => begin('ana')).toThrow('(--opens-per-owner)');
    begin('ben')();
    begin()();
    await registry.add(make('a', { owner: 'ana' }), present);
    first();
    expect(registry.opening).toBe(1);
    expect(() => begin('ana')).toThrow('(--max-sessions-per-owner)');
    second();
    begin('ana')();
    clock.now += TTL;
    begin('ana');
    begin('ana');
  });
});
