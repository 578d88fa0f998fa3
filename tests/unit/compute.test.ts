import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createCompute } from '../../packages/server/src/server/compute.js';
import { fakeSessions } from '../support/fake-sessions.js';

const { signal } = new AbortController();
// One listener for each that waits.
setMaxListeners(0, signal);

/** A computation of so many slices, which writes down each of them. */
function* slices(name: string, count: number, order: string[]): Generator<void, string> {
  for (let i = 0; i < count; i++) {
    order.push(name);
    yield;
  }
  return name;
}

/** Sessions whose party is the first letter of their id. */
const sessions = {
  who: (session: string) => ({ party: session.slice(0, 1), session }),
  memory: fakeSessions().memory,
};

describe('computations', () => {
  it('take turns slice by slice: a short one does not wait for long ones to end', async () => {
    const compute = createCompute({ sessions });
    const order: string[] = [];
    const ended: string[] = [];
    const run = async (session: string, count: number) => {
      ended.push(await compute(session, signal, slices(session, count, order)));
    };
    const all = [run('a1', 50), run('a1', 50), run('a2', 50), run('b1', 5)];
    await Promise.all(all);
    expect(ended[0]).toBe('b1');
    // Two slices of Alice may come before the first of Bob, and one before each of the others.
    const before = order.slice(0, order.lastIndexOf('b1')).filter((name) => name !== 'b1');
    expect(before.length).toBeLessThanOrEqual(7);
  });

  it('that have begun are few, of a session and of a party; others begin when one ends', async () => {
    const compute = createCompute({ sessions });
    const order: string[] = [];
    const ids = ['a1', 'a2', 'a3'].flatMap((id) => Array<string>(8).fill(id));
    const all = ids.map((id, i) => compute(id, signal, slices(`${id} ${i}`, 20, order)));
    await Promise.all(all);
    const first = new Set(order.slice(0, 8 * 10));
    expect([...first].map((name) => name.slice(0, 2)).sort()).toEqual([...Array(4).fill('a1'), ...Array(4).fill('a2')]);
    expect(new Set(order).size).toBe(ids.length);
  });

  it('end at once when their client leaves, and go on when another one fails', async () => {
    const compute = createCompute({ sessions });
    const order: string[] = [];
    const leaving = new AbortController();
    const left = compute('a1', leaving.signal, slices('left', 1e9, order));
    // biome-ignore lint/correctness/useYield: it fails before
    function* broken(): Generator<void, void> {
      throw new Error('broken');
    }
    await expect(compute('a1', signal, broken())).rejects.toThrow('broken');
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const { length } = order;
    expect(await compute('b1', signal, slices('b1', 2, order))).toBe('b1');
    expect(order.slice(length)).toEqual(['b1', 'b1']);
  });
});
