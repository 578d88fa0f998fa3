import { describe, expect, it } from 'vitest';
import { untilAborted, withDeadline } from '../../packages/server/src/deadline.js';

const timeout = () => new Error('too late');
const untilSignal = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

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
});
