/**
 * Keeps a storage that hangs from stopping everything else. Nobody can interrupt a thread that waits for a network drive
 * in the system; but such threads can be few, of that storage alone, and nobody else has to wait for them.
 */
import { basename, dirname } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Who } from '../fair-line.js';
import type { Located, LocateRequest } from '../paths/locate.js';
import { Crossing, MountTable, storageOf, storagesTo } from '../paths/look.js';
import { isInside, type PathPolicy } from '../paths/policy.js';
import { fromThread } from '../threads.js';
import { linkSignals, whenOverdue } from '../waiting.js';
import { LookupThreads } from './lookup-threads.js';
import type { Lookup, LookupRequest, LookupValues } from './protocol.js';
import { Storage, TIMES } from './storage.js';

/** A path may lead from one storage to the next by links. */
const MAX_CROSSINGS = 16;
/** Folders that are remembered, in which a dropped file is looked for. */
const MAX_FOLDERS = 64;
/** Look-ups of somebody who opens a file; the others go on in the background. */
const OPENS: readonly Lookup['kind'][] = ['locate', 'file'];
/** Whose look-ups are those that no client has asked for. */
const SERVER: Who = { party: 'the server', session: '' };

/** What work on a storage is told of it. */
export interface Watch {
  /** Aborts when the storage hangs, with `storage_unavailable`. */
  signal: AbortSignal;
  /** Aborts when the storage has not answered for a moment. */
  suspect: AbortSignal;
  /** To be told of a thread that was killed: one that hangs counts until it has ended. */
  onKill: (ended: Promise<unknown>) => void;
}

export class StorageGate {
  private readonly options: {
    /** Threads that may hang in one storage while they decode; no more are started then. */
    maxStuck: number;
    /** Learns that a storage hangs, and that it answers again. */
    report: (what: Error) => void;
    /** Instead of those of the package, and of the mounts of this machine. */
    threads?: LookupThreads;
    mountPoints?: () => readonly string[];
    platform?: NodeJS.Platform;
    times?: Partial<typeof TIMES>;
  };
  private readonly times: typeof TIMES;
  private readonly platform: NodeJS.Platform;
  private readonly mounts: MountTable;
  private readonly storages = new Map<string, Storage>();
  private readonly threads: LookupThreads;
  /** The storages that this program is on: if they hang, nothing works. */
  private readonly own: readonly string[];
  private isClosing = false;
  /** Folders from which something was opened, the latest last: a dropped file is looked for in them first. */
  readonly openedFolders = new Set<string>();

  constructor(options: StorageGate['options']) {
    this.options = options;
    this.times = { ...TIMES, ...options.times };
    this.platform = options.platform ?? process.platform;
    this.mounts = new MountTable(this.platform);
    this.own = storagesTo(process.execPath, this.mountPoints(), this.platform);
    this.threads = options.threads ?? new LookupThreads();
  }

  /**
   * Finds the acquisition that `path` stands for, if it may be opened; see `locate`.
   * @throws AcqError what `locate` throws, `storage_unavailable`; the signal's reason
   */
  locate(path: string, policy: PathPolicy, isPicked: boolean, signal: AbortSignal, who?: Who): Promise<Located> {
    return this.lookUp({ kind: 'locate', path, policy, isPicked }, signal, who);
  }

  /**
   * Runs work with the acquisition that `path` stands for, like `watch`. The worker that reads it also finds it, in the same message,
   * when it `isFree` and every storage on the way answers. Else, or when it finds a `Crossing`, a look-up thread does.
   * @throws AcqError what `locate` and `watch` throw
   */
  async withAcquisition<T>(
    asked: Pick<LocateRequest, 'path' | 'policy' | 'isPicked'> & {
      /** There is a worker that has nothing to do. */
      isFree: boolean;
      signal: AbortSignal;
      who: Who;
    },
    work: (located: Located | LocateRequest, watch: Watch) => Promise<T>,
  ): Promise<T> {
    const { path, policy, isPicked, isFree, signal, who } = asked;
    const request = isFree ? this.locateElsewhere(path, policy, isPicked) : undefined;
    if (request) {
      try {
        return await this.watch(path, signal, (watch) => work(request, watch));
      } catch (error) {
        if (!(error instanceof Crossing)) throw error;
      }
    }
    const located = await this.locate(path, policy, isPicked, signal, who);
    return this.watch(located.path, signal, (watch) => work(located, watch));
  }

  /** Remembers the folder of an acquisition that was opened. */
  noteOpened({ path, part }: Located): void {
    const folder = dirname(part ?? path);
    this.openedFolders.delete(folder);
    this.openedFolders.add(folder);
    const [oldest] = this.openedFolders;
    if (this.openedFolders.size > MAX_FOLDERS && oldest !== undefined) this.openedFolders.delete(oldest);
  }

  /** Returns what a worker needs to find the acquisition itself, when every storage on the way answers. */
  locateElsewhere(path: string, policy: PathPolicy, isPicked: boolean): LocateRequest | undefined {
    const mountPoints = this.mountPoints();
    const admitted = storagesTo(path, mountPoints, this.platform);
    const isAnswering = admitted.every((name) => this.own.includes(name) || this.storageNamed(name).isAnswering);
    return isAnswering ? { path, policy, isPicked, admitted, mountPoints } : undefined;
  }

  /**
   * Looks something up, on one storage after the other, as far as links lead.
   * @throws AcqError what the function in `paths/` throws, `storage_unavailable`, `capacity_exceeded`; the signal's reason
   */
  async lookUp<K extends Lookup['kind']>(
    lookup: Extract<Lookup, { kind: K }>,
    signal: AbortSignal,
    who = SERVER,
  ): Promise<LookupValues[K]> {
    const { path, kind } = lookup;
    const work = { ...who, isBackground: !OPENS.includes(kind) };
    const mountPoints = this.mountPoints();
    const admitted = storagesTo(path, mountPoints, this.platform);
    while (admitted.length <= MAX_CROSSINGS) {
      // The one that was admitted last is the one that has not been seen to answer.
      const storage = this.storageNamed(admitted.at(-1) as string);
      const reply = await storage.enter(path, work, signal, () => this.run(storage, { lookup, admitted, mountPoints }));
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

  /** False while the storage of a path does not answer. */
  isAvailable(path: string): boolean {
    return !this.storageAt(path).isClosed;
  }

  /** Mount points in and below a folder: storages that a search of the folder does not enter by itself. */
  mountsBelow(folder: string): string[] {
    return this.mountPoints().filter((point) => point !== folder && isInside(point, folder, this.platform));
  }

  /**
   * Runs work that reads from the storage of `path`, and looks now and then whether the storage still answers.
   * @throws AcqError `storage_unavailable` when it does not, or did not before; what `work` throws
   */
  watch<T>(path: string, signal: AbortSignal, work: (watch: Watch) => Promise<T>): Promise<T> {
    const storage = this.storageAt(path);
    return storage.whileOpen(path, async (gone) => {
      const ears = linkSignals([signal, gone]);
      const { suspect, stop } = storage.lookOut(this.times, () => this.probe(storage));
      const onKill = (ended: Promise<unknown>) => storage.trackKilled(ended, this.times.suspect);
      try {
        return await work({ signal: ears.signal, suspect, onKill });
      } finally {
        stop();
        ears.unlink();
      }
    });
  }

  /** @returns whether every thread has ended, look-ups and decodes alike; one that hangs is not waited for */
  async close(milliseconds: number): Promise<boolean> {
    this.isClosing = true;
    for (const storage of this.storages.values()) storage.stopProbing();
    const inTime = new Promise<false>((resolve) => setTimeout(() => resolve(false), milliseconds).unref());
    const haveEnded = await Promise.race([this.threads.close().then(() => true as const), inTime]);
    return haveEnded && [...this.storages.values()].every(({ stuck }) => stuck === 0);
  }

  /**
   * Runs one look-up on a thread. The storage is closed when it takes too long; the start of the thread, for which a busy
   * machine may need seconds, does not count.
   */
  private async run(storage: Storage, request: LookupRequest, onBegin = () => {}) {
    let stopTimer = () => {};
    const begin = () => {
      stopTimer();
      stopTimer = whenOverdue(this.times.hung, () => this.shut(storage));
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
    if (storage.isClosed || this.isClosing) return;
    storage.close();
    this.options.report(new Error(`the storage at ${storage.name} does not answer; it is closed until it does`));
    storage.startProbing(() => this.probe(storage), this.times.probe);
  }

  /** Asks whether the storage answers, once at a time. */
  private probe(storage: Storage) {
    storage.probe ??= this.startProbe(storage);
    return storage.probe;
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
    try {
      const lookup = { kind: 'probe', path: name } as const;
      await this.run(storage, { lookup, admitted: [name], mountPoints: this.mountPoints() }, onBegin);
    } catch (error) {
      if (!this.isClosing) this.options.report(error as Error);
      return;
    }
    if (!storage.isClosed || this.isClosing) return;
    storage.open();
    this.options.report(new Error(`the storage at ${name} answers again`));
  }

  private storageAt(path: string): Storage {
    return this.storageNamed(storageOf(path, this.mountPoints(), this.platform));
  }

  private storageNamed(name: string): Storage {
    let storage = this.storages.get(name);
    if (!storage) {
      storage = new Storage(name, this.options.maxStuck);
      this.storages.set(name, storage);
    }
    return storage;
  }

  private mountPoints(): readonly string[] {
    return this.options.mountPoints?.() ?? this.mounts.read();
  }
}
