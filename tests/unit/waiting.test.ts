import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkSignals, untilAborted, withDeadline } from '../../packages/server/src/waiting.js';

const timeout = () => new Error('too late');
const untilSignal = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const listeners = (...signals: AbortSignal[]) => signals.map((signal) => getEventListeners(signal, 'abort').length);

describe('withDeadline', () => {
  it('gives the result', async () => {
    expect(await withDeadline({ milliseconds: 1000, timeout, signals: [undefined] }, async () => 5)).toBe(5);
  });

  it('aborts the work when the time is over', async () => {
    await expect(withDeadline({ milliseconds: 1, timeout, signals: [] }, untilSignal)).rejects.toThrow('too late');
  });

  it('aborts the work with any of the signals, for the reason of that signal', async () => {
    const controller = new AbortController();
    const other = new AbortController();
    const work = withDeadline(
      { milliseconds: 60_000, timeout, signals: [other.signal, controller.signal] },
      untilSignal,
    );
    controller.abort(new Error('client left'));
    await expect(work).rejects.toThrow('client left');
  });

  it('does not start work for somebody who has left', async () => {
    let started = false;
    const signals = [AbortSignal.abort(new Error('client left'))];
    const work = withDeadline({ milliseconds: 1000, timeout, signals }, async () => {
      started = true;
    });
    await expect(work).rejects.toThrow('client left');
    expect(started).toBe(false);
  });

  it('passes on what the work throws', async () => {
    const work = withDeadline({ milliseconds: 1000, timeout, signals: [] }, () => Promise.reject(new Error('no')));
    await expect(work).rejects.toThrow('no');
  });

  describe('when the work has ended', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it.each([
      ['with a result', async () => 5],
      ['with an error', () => Promise.reject(new Error('no'))],
    ])('%s, leaves no timer, and nothing on signals that live on', async (_how, work) => {
      const [one, other] = [new AbortController().signal, new AbortController().signal];
      let during: number[] = [];
      const ended = withDeadline({ milliseconds: 1000, timeout, signals: [one, undefined, other] }, () => {
        during = listeners(one, other);
        return work();
      });
      await ended.catch(() => {});
      expect(during).toEqual([1, 1]);
      expect(listeners(one, other)).toEqual([0, 0]);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('late, leaves nothing on signals that live on', async () => {
      const { signal } = new AbortController();
      const work = withDeadline({ milliseconds: 1000, timeout, signals: [signal] }, untilSignal);
      const ended = expect(work).rejects.toThrow('too late');
      await vi.advanceTimersByTimeAsync(999);
      expect(listeners(signal)).toEqual([1]);
      await vi.advanceTimersByTimeAsync(1);
      await ended;
      expect(listeners(signal)).toEqual([0]);
    });
  });
});

describe('linkSignals', () => {
  it('aborts with the first signal, for its reason, and not again', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const linked = linkSignals([one.signal, undefined, other.signal]);
    expect(linked.signal.aborted).toBe(false);
    other.abort('second came first');
    one.abort('too late');
    linked.abort('later still');
    expect(linked.signal.reason).toBe('second came first');
  });

  it('is aborted from the start by a signal that was', () => {
    expect(linkSignals([new AbortController().signal, AbortSignal.abort('gone')]).signal.reason).toBe('gone');
  });

  it('can be aborted for another reason, which the signals do not learn of', () => {
    const { signal } = new AbortController();
    const linked = linkSignals([signal]);
    linked.abort('enough');
    expect([linked.signal.reason, signal.aborted]).toEqual(['enough', false]);
  });

  it('leaves nothing on the signals when it is unlinked, and does not hear them any more', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const linked = linkSignals([one.signal, other.signal]);
    expect(listeners(one.signal, other.signal)).toEqual([1, 1]);
    linked.unlink();
    expect(listeners(one.signal, other.signal)).toEqual([0, 0]);
    one.abort('gone');
    expect(linked.signal.aborted).toBe(false);
  });
});

describe('untilAborted', () => {
  it('passes on what the promise does', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(3), signal)).toBe(3);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('leaves a promise that never settles', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(new Promise(() => {}), controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(untilAborted(new Promise(() => {}), controller.signal)).rejects.toThrow('gone');
  });
  it.each([
    ['its promise resolves', () => Promise.resolve(3)],
    ['its promise rejects', () => Promise.reject(new Error('no'))],
  ])('leaves nothing on signals when %s', async (_when, promise) => {
    const [one, other] = [new AbortController().signal, new AbortController().signal];
    const waiting = untilAborted<unknown>(promise(), one, other).catch(() => {});
    expect(listeners(one, other)).toEqual([1, 1]);
    await waiting;
    expect(listeners(one, other)).toEqual([0, 0]);
  });

  it('leaves nothing on the other signals when one aborts, and rejects for the reason of that one', async () => {
    const { signal } = new AbortController();
    const gone = new AbortController();
    const waiting = untilAborted(new Promise(() => {}), signal, gone.signal);
    gone.abort('gone');
    await expect(waiting).rejects.toBe('gone');
    expect(listeners(signal, gone.signal)).toEqual([0, 0]);
    await expect(untilAborted(new Promise(() => {}), signal, gone.signal)).rejects.toBe('gone');
    expect(listeners(signal, gone.signal)).toEqual([0, 0]);
  });
});
