import { expect, it } from 'vitest';
import { Claims } from '../../../packages/server/src/planes/claims.js';
import fc from '../../support/fast-check.js';

const BYTES: Record<string, number> = { a: 1, b: 20, c: 300, d: 4000 };

it('counts like sets of planes, one for each session', () => {
  const step = fc.record({
    owner: fc.constantFrom('ana', 'ben', undefined),
    session: fc.integer({ min: 0, max: 2 }),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    action: fc.constantFrom('add', 'add', 'end', 'end all', 'end all of the owner'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const claims = new Claims();
      /** Keys of each session, and its owner. */
      const model = new Map<string, { owner: string | undefined; keys: Set<string> }>();
      for (const { owner, session, key, action } of steps) {
        const claimant = `${owner}-${session}`;
        const own = model.get(claimant) ?? { owner, keys: new Set() };
        model.set(claimant, own);
        const others = [...model.values()].filter(({ keys }) => keys.has(key));
        if (action === 'add') {
          claims.add(key, BYTES[key]!, { claimant, owner });
          own.keys.add(key);
        } else if (action === 'end') {
          const isLast = others.length === 1 && own.keys.has(key);
          own.keys.delete(key);
          expect(claims.end(key, claimant)).toBe(isLast);
        } else {
          const ended = action === 'end all' || owner === undefined ? others : others.filter((o) => o.owner === owner);
          expect(claims.endAll(key, action === 'end all' ? undefined : owner)).toHaveLength(ended.length);
          for (const { keys } of ended) keys.delete(key);
        }
        for (const name of ['ana', 'ben']) {
          const union = new Set([...model.values()].filter((o) => o.owner === name).flatMap(({ keys }) => [...keys]));
          expect(claims.bytesOf(name)).toBe([...union].reduce((sum, each) => sum + BYTES[each]!, 0));
          expect([...claims.planesOf(name)].sort()).toEqual([...union].sort());
        }
      }
    }),
  );
});
