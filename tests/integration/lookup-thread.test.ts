import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { createLookupThread } from '../../packages/server/src/storage/lookup-thread.js';
import { REPOSITORY } from '../support/cli.js';

it('a thread that has answered sends one message for each further look-up', async () => {
  const emit = vi.spyOn(Worker.prototype, 'emit');
  const messages = () => emit.mock.calls.filter(([event]) => event === 'message').map(([, message]) => message.kind);
  const thread = createLookupThread();
  const request = { lookup: { kind: 'find', path: REPOSITORY } as const, admitted: ['/'], mountPoints: [] };
  const began = vi.fn();
  try {
    const first = thread.run(request, began);
    expect(began).not.toHaveBeenCalled();
    expect(await first).toEqual({ kind: 'done', value: 'folder' });
    expect(began).toHaveBeenCalledTimes(1);
    expect(messages()).toEqual(['begun', 'done']);
    const second = thread.run(request, began);
    expect(began).toHaveBeenCalledTimes(2);
    expect(await second).toEqual({ kind: 'done', value: 'folder' });
    expect(messages()).toEqual(['begun', 'done', 'done']);
  } finally {
    emit.mockRestore();
    await thread.close();
  }
});
