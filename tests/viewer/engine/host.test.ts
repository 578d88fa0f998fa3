import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorRecord } from '../../../packages/readers/src/base/errors.js';
import { WorkerHost } from '../../../packages/viewer/src/engine/host.ts';
import type { Reply, Request } from '../../../packages/viewer/src/engine/protocol.ts';

/** A worker whose answers the test gives. */
class FakeWorker {
  readonly received: Request[] = [];
  isEnded = false;
  onmessage: ((event: { data: Reply }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | null = null;

  postMessage(request: Request): void {
    this.received.push(request);
  }

  terminate(): void {
    this.isEnded = true;
  }

  /** Answers the last call. */
  answer(value: unknown): void {
    this.onmessage?.({ data: { id: this.lastId, value } });
  }

  /** Answers it with an error. */
  fail(error: ErrorRecord): void {
    this.onmessage?.({ data: { id: this.lastId, error } });
  }

  private get lastId(): number {
    return (this.received.findLast(({ kind }) => kind === 'call') as { id: number }).id;
  }
}

const GIVEN = { name: 'scan.tif', files: [] };

describe('the worker of a file', () => {
  const workers: FakeWorker[] = [];
  let host: WorkerHost;
  beforeEach(() => {
    vi.useFakeTimers();
    workers.length = 0;
    host = new WorkerHost(GIVEN, () => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    });
    host.enter();
  });
  afterEach(() => vi.useRealTimers());

  it('gets the files once, and then the calls', async () => {
    const metadata = host.call('metadata', 's', []);
    workers[0]?.answer('m');
    expect(await metadata).toBe('m');
    void host.call('planes', 's', []);
    expect(workers[0]?.received.map(({ kind }) => kind)).toEqual(['files', 'call', 'call']);
  });

  it('says once that a missing file is to be chosen', async () => {
    const failed = expect(host.call('open', null, [{}])).rejects.toMatchObject({ message: 'Choose it.', hint: '' });
    workers[0]?.fail({ code: 'companion_missing', message: 'Choose it.', details: null });
    await failed;
  });

  it('is ended when it does not end a canceled call, and another one takes the next call', async () => {
    const stop = new AbortController();
    const canceled = host.call('metadata', 's', [], { signal: stop.signal });
    const beside = host.call('planes', 's', []);
    stop.abort(new Error('enough'));
    await expect(canceled).rejects.toThrow('enough');
    expect(workers[0]?.received.at(-1)?.kind).toBe('cancel');
    expect(workers[0]?.isEnded).toBe(false);
    const failed = expect(beside).rejects.toMatchObject({ code: 'interrupted' });
    vi.advanceTimersByTime(10_000);
    await failed;
    expect(workers[0]?.isEnded).toBe(true);
    const { generation } = host;
    void host.call('planes', 's', []);
    expect(workers).toHaveLength(2);
    expect(host.generation).toBe(generation + 1);
  });

  it('is not ended when it answers a canceled call', () => {
    const stop = new AbortController();
    host.call('metadata', 's', [], { signal: stop.signal }).catch(() => {});
    stop.abort();
    workers[0]?.answer('late');
    vi.advanceTimersByTime(60_000);
    expect(workers[0]?.isEnded).toBe(false);
  });

  it('is ended when opening takes too long', async () => {
    const opened = host.call('open', null, [{}]);
    const failed = expect(opened).rejects.toMatchObject({ code: 'load_timeout' });
    vi.advanceTimersByTime(60_000);
    await failed;
    expect(workers[0]?.isEnded).toBe(true);
  });

  it('fails all calls when it crashes', async () => {
    const calls = [host.call('metadata', 's', []), host.call('planes', 's', [])];
    workers[0]?.onerror?.({ message: 'out of memory', preventDefault() {} });
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'decode_failed',
        message: 'scan.tif: the browser could not read it (out of memory).',
      });
    }
  });

  it('is ended with the last acquisition that needs it', async () => {
    host.enter();
    const call = host.call('metadata', 's', []);
    host.leave();
    expect(workers[0]?.isEnded).toBe(false);
    const failed = expect(call).rejects.toMatchObject({ code: 'closed' });
    host.leave();
    await failed;
    expect(workers[0]?.isEnded).toBe(true);
  });
});
