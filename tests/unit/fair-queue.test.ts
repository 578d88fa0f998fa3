import { describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import {
  FairQueue,
  type FairQueueOptions,
  TURNS_BEFORE_BACKGROUND,
  type Work,
} from '../../packages/server/src/fair-queue.js';

const forever = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose work ends when the test says so, and the order in which the work began. */
class Trial {
  readonly began: string[] = [];
  readonly refused: string[] = [];
  private readonly ends: (() => void)[] = [];
  private readonly queue: FairQueue;

  constructor(options: Partial<FairQueueOptions> = {}) {
    this.queue = new FairQueue({ name: 'tests', atOnce: 1, maxWaiting: 100, ...options });
  }

  /** Asks for work, which is named after its party, its session and a number: `a1x` is x of session a1. */
  ask(name: string, more: Partial<Work> = {}, signal = forever): Promise<void> {
    const who = { party: name.slice(0, 1), session: name.slice(0, 2), ...more };
    const work = () => {
      this.began.push(name);
      return new Promise<void>((resolve) => this.ends.push(resolve));
    };
    return this.queue.run(who, signal, work).catch((error: unknown) => {
      this.refused.push(`${name}: ${error instanceof AcqError ? error.code : (error as Error).message}`);
    });
  }

  /** Ends what has run longest, again and again. */
  async finish(count = Number.POSITIVE_INFINITY): Promise<void> {
    await settled();
    for (let i = 0; i < count; i++) {
      const end = this.ends.shift();
      if (!end) return;
      end();
      await settled();
    }
  }
}

describe('a fair queue', () => {
  it('lets parties take turns, and in a party its sessions', async () => {
    const trial = new Trial();
    const asked = ['a1x', 'a1y', 'a1z', 'a2x', 'a2y', 'b1x', 'b1y', 'c1x'].map((name) => trial.ask(name));
    await trial.finish();
    await Promise.all(asked);
    expect(trial.began).toEqual(['a1x', 'a1y', 'b1x', 'c1x', 'a2x', 'b1y', 'a1z', 'a2y']);
  });

  it('serves one who comes again and again as often as one who has all work waiting', async () => {
    const trial = new Trial();
    for (const name of ['a1p', 'a1q', 'a1r', 'a1s', 'a1t', 'a1u']) void trial.ask(name);
    void trial.ask('b1v').then(() => trial.ask('b1w').then(() => trial.ask('b1x')));
    await trial.finish();
    expect(trial.began).toEqual(['a1p', 'a1q', 'b1v', 'a1r', 'b1w', 'a1s', 'b1x', 'a1t', 'a1u']);
  });

  it('runs at most as many at a time as it may, of all, of a party and of a session', async () => {
    const trial = new Trial({ atOnce: 4, perParty: 2, perSession: 1 });
    for (const name of ['a1x', 'a1y', 'a2x', 'a3x', 'b1x', 'c1x', 'd1x']) void trial.ask(name);
    await settled();
    expect(trial.began).toEqual(['a1x', 'a2x', 'b1x', 'c1x']);
    await trial.finish(1);
    expect(trial.began.slice(4)).toEqual(['a1y']);
    await trial.finish(1);
    expect(trial.began.slice(5)).toEqual(['d1x']);
    await trial.finish(1);
    expect(trial.began.slice(6)).toEqual(['a3x']);
  });

  it('lets go of one whose client leaves at once, and of no other', async () => {
    const trial = new Trial();
    const leaving = new AbortController();
    const asked = [trial.ask('a1x'), trial.ask('b1x', {}, leaving.signal), trial.ask('c1x')];
    await settled();
    leaving.abort(new Error('left'));
    await asked[1];
    expect([trial.began, trial.refused]).toEqual([['a1x'], ['b1x: left']]);
    await trial.finish();
    expect(trial.began).toEqual(['a1x', 'c1x']);
    await trial.ask('d1x', {}, AbortSignal.abort(new Error('gone')));
    expect(trial.refused.at(-1)).toBe('d1x: gone');
  });

  it('goes on when work fails, and when a client leaves at the moment of its turn', async () => {
    const queue = new FairQueue({ name: 'tests', atOnce: 1, maxWaiting: 9 });
    const who = { party: 'a', session: 'a1' };
    const leaving = new AbortController();
    const failing = queue.run(who, forever, async () => {
      await settled();
      leaving.abort(new Error('left'));
      throw new Error('broken');
    });
    const left = queue.run(who, leaving.signal, async () => 'second');
    const last = queue.run(who, forever, async () => 'third');
    await expect(failing).rejects.toThrow('broken');
    await expect(left).rejects.toThrow('left');
    expect(await last).toBe('third');
  });

  it('refuses what is too much; a newcomer gets the place of the last of who has most', async () => {
    const trial = new Trial({ maxWaiting: 3 });
    for (const name of ['a1x', 'a1y', 'a2x', 'a2y', 'a1z']) void trial.ask(name);
    await settled();
    expect(trial.refused).toEqual(['a1z: capacity_exceeded']);
    for (const name of ['b1x', 'b1y', 'c1x', 'd1x']) void trial.ask(name);
    await settled();
    expect(trial.refused.slice(1).sort()).toEqual([
      'a1y: capacity_exceeded',
      'a2y: capacity_exceeded',
      'b1y: capacity_exceeded',
      'd1x: capacity_exceeded',
    ]);
    await trial.finish();
    expect(trial.began).toEqual(['a1x', 'a2x', 'b1x', 'c1x']);
  });

  it('names its limit when it refuses', async () => {
    const queue = new FairQueue({ name: 'computations', atOnce: 1, maxWaiting: 0 });
    void queue.run({ party: 'a', session: 'a1' }, forever, () => settled());
    await expect(queue.run({ party: 'b', session: 'b1' }, forever, async () => {})).rejects.toThrow(
      'The server is busy: 0 computations wait already, the limit. Try again in a few seconds.',
    );
  });

  it('runs the background when nothing else waits, now and then before, and never on all lanes', async () => {
    const background = { isBackground: true };
    const trial = new Trial({ atOnce: 3, inBackground: 2 });
    for (const name of ['a1s', 'a1t', 'a1u']) void trial.ask(name, background);
    await settled();
    expect(trial.began).toEqual(['a1s', 'a1t']);
    const names = ['b1o', 'b1p', 'b1q', 'b1r', 'b1s', 'b1t', 'b1u', 'b1v'];
    for (const name of names) void trial.ask(name);
    await settled();
    expect(trial.began.slice(2)).toEqual(['b1o']);
    await trial.finish();
    const [before, after] = [names.slice(1, 1 + TURNS_BEFORE_BACKGROUND), names.slice(1 + TURNS_BEFORE_BACKGROUND)];
    expect(trial.began.slice(3)).toEqual([...before, 'a1u', ...after]);
  });
});
