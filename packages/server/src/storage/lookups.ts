/** Look-ups of paths, by threads that wait for the system, each in turn on the storages that it leads to. */
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Who } from '../fair-line.js';
import { type MountPoints, storagesTo } from '../paths/look.js';
import { fromThread } from '../threads.js';
import { whenOverdue } from '../waiting.js';
import type { LookupThreads } from './lookup-threads.js';
import type { Lookup, LookupRequest, LookupValues } from './protocol.js';
import type { Storage, TIMES } from './storage.js';

/** A path may lead from one storage to the next by links. */
const MAX_CROSSINGS = 16;
/** Look-ups of somebody who opens a file; the others go on in the background. */
const OPENS: readonly Lookup['kind'][] = ['locate', 'file'];
/** Whose look-ups are those that no client has asked for. */
const SERVER: Who = { party: 'the server', session: '' };

interface LookupOptions {
  platform: NodeJS.Platform;
  times: typeof TIMES;
  mountPoints: MountPoints;
  storageNamed: (name: string) => Storage;
  /** Learns that a storage hangs, and that it answers again. */
  report: (what: Error) => void;
}

export class Lookups {
  private readonly threads: LookupThreads;
  private readonly options: LookupOptions;
  private isClosing = false;

  constructor(threads: LookupThreads, options: LookupOptions) {
    this.threads = threads;
    this.options = options;
  }

  /**
   * Looks something up, on one storage after the other, as far as links lead.
   * @throws AcqError what the function in `paths/` throws, `storage_unavailable`, `capacity_exceeded`; the signal's reason
   */
  async run<K extends Lookup['kind']>(
    lookup: Extract<Lookup, { kind: K }>,
    signal: AbortSignal,
    who = SERVER,
  ): Promise<LookupValues[K]> {
    const { path, kind } = lookup;
    const work = { ...who, isBackground: !OPENS.includes(kind) };
    const mountPoints = this.options.mountPoints();
    const admitted = storagesTo(path, mountPoints, this.options.platform);
    while (admitted.length <= MAX_CROSSINGS) {
      // The one that was admitted last is the one that has not been seen to answer.
      const storage = this.options.storageNamed(admitted.at(-1) as string);
      const reply = await storage.enter(path, work, signal, () => this.ask(storage, { lookup, admitted, mountPoints }));
      if (reply.kind === 'done') return reply.value as LookupValues[K];
      if (reply.kind === 'failed') {
        throw fromThread(
          reply,
          'could not be found because of an internal error. The log has the cause.',
          basename(path),
        );
      }
      admitted.push(reply.storage);
    }
    throw new AcqError('path_not_found', 'its links lead through too many drives', { subject: basename(path) });
  }

  /** Asks whether a storage answers, once at a time. */
  probe(storage: Storage) {
    storage.probe ??= this.startProbe(storage);
    return storage.probe;
  }

  /** @returns whether every thread has ended in time; one that hangs is not waited for */
  async close(milliseconds: number): Promise<boolean> {
    this.isClosing = true;
    const inTime = new Promise<false>((resolve) => setTimeout(() => resolve(false), milliseconds).unref());
    return Promise.race([this.threads.close().then(() => true as const), inTime]);
  }

  /**
   * Runs one look-up on a thread. The storage is closed when it takes too long; the start of the thread, for which a busy
   * machine may need seconds, does not count.
   */
  private async ask(storage: Storage, request: LookupRequest, onBegin = () => {}) {
    let stopTimer = () => {};
    const begin = () => {
      stopTimer();
      stopTimer = whenOverdue(this.options.times.hung, () => this.shut(storage));
      onBegin();
    };
    try {
      const reply = await this.threads.run(request, begin);
      storage.noteAnswer();
      return reply;
    } finally {
      stopTimer();
    }
  }

  private shut(storage: Storage): void {
    const { report, times } = this.options;
    if (storage.isClosed || this.isClosing) return;
    storage.close();
    report(new Error(`the storage at ${storage.name} does not answer; it is closed until it does`));
    storage.startProbing(() => this.probe(storage), times.probe);
  }

  private startProbe(storage: Storage) {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const answered = this.askWhetherAlive(storage, begin).finally(() => {
      begin();
      storage.probe = undefined;
    });
    return { begun, answered };
  }

  private async askWhetherAlive(storage: Storage, onBegin: () => void): Promise<void> {
    const { name } = storage;
    const { report, mountPoints } = this.options;
    try {
      const lookup = { kind: 'probe', path: name } as const;
      await this.ask(storage, { lookup, admitted: [name], mountPoints: mountPoints() }, onBegin);
    } catch (error) {
      if (!this.isClosing) report(error as Error);
      return;
    }
    if (!storage.isClosed || this.isClosing) return;
    storage.open();
    report(new Error(`the storage at ${name} answers again`));
  }
}
