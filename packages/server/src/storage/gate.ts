/**
 * Keeps a storage that hangs from stopping everything else. Nobody can interrupt a thread that waits for a network drive
 * in the system; but such threads can be few, of that storage alone, and nobody else has to wait for them.
 */
import { dirname } from 'node:path';
import type { Who } from '../fair-line.js';
import type { Located, LocateRequest } from '../paths/locate.js';
import { Crossing, type MountPoints, mountPointReader, storageOf, storagesTo } from '../paths/look.js';
import { isInside, type PathPolicy } from '../paths/policy.js';
import { linkSignals } from '../waiting.js';
import { LookupThreads } from './lookup-threads.js';
import { Lookups } from './lookups.js';
import { ANSWERING_MS, Storage, TIMES } from './storage.js';

/** Folders that are remembered, in which a dropped file is looked for. */
const MAX_FOLDERS = 64;

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
  /** Look-ups that no worker makes itself. */
  readonly lookups: Lookups;
  /** Folders from which something was opened, the latest last: a dropped file is looked for in them first. */
  readonly openedFolders = new Set<string>();
  private readonly maxStuck: number;
  private readonly times: typeof TIMES;
  private readonly platform: NodeJS.Platform;
  private readonly mountPoints: MountPoints;
  private readonly storages = new Map<string, Storage>();
  /** The storages that this program is on: if they hang, nothing works. */
  private readonly own: readonly string[];

  constructor(
    options: {
      /** Threads that may hang in one storage while they decode; no more are started then. */
      maxStuck: number;
      /** Learns that a storage hangs, and that it answers again. */
      report: (what: Error) => void;
      /** Instead of the mounts of this machine. */
      mountPoints?: MountPoints;
      platform?: NodeJS.Platform;
      times?: Partial<typeof TIMES>;
    },
    threads = new LookupThreads(),
  ) {
    this.maxStuck = options.maxStuck;
    this.times = { ...TIMES, ...options.times };
    this.platform = options.platform ?? process.platform;
    this.mountPoints = options.mountPoints ?? mountPointReader(this.platform);
    this.own = storagesTo(process.execPath, this.mountPoints(), this.platform);
    const { times, platform, mountPoints } = this;
    const { report } = options;
    const storageNamed = (name: string) => this.storageNamed(name);
    this.lookups = new Lookups(threads, { times, platform, mountPoints, storageNamed, report });
  }

  /**
   * Finds the acquisition that `path` stands for, if it may be opened; see `locate`.
   * @throws AcqError what `locate` throws, `storage_unavailable`; the signal's reason
   */
  locate(path: string, policy: PathPolicy, isPicked: boolean, signal: AbortSignal, who?: Who): Promise<Located> {
    return this.lookups.run({ kind: 'locate', path, policy, isPicked }, signal, who);
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
        const done = this.watchStorage(this.storageNamed(request.admitted.at(-1)!), path, signal, (watch) =>
          work(request, watch),
        );
        // For the next open: the worker is busy with this one.
        this.mountPoints();
        return await done;
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
    const mountPoints = this.mountPoints(ANSWERING_MS);
    const admitted = storagesTo(path, mountPoints, this.platform);
    const isAnswering = admitted.every((name) => this.own.includes(name) || this.storageNamed(name).isAnswering);
    return isAnswering ? { path, policy, isPicked, admitted, mountPoints } : undefined;
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
    return this.watchStorage(this.storageAt(path), path, signal, work);
  }

  private watchStorage<T>(
    storage: Storage,
    path: string,
    signal: AbortSignal,
    work: (watch: Watch) => Promise<T>,
  ): Promise<T> {
    return storage.whileOpen(path, async (gone) => {
      const ears = linkSignals([signal, gone]);
      const { suspect, stop } = storage.lookOut(this.times, () => this.lookups.probe(storage));
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
    for (const storage of this.storages.values()) storage.stopProbing();
    const haveEnded = await this.lookups.close(milliseconds);
    return haveEnded && [...this.storages.values()].every(({ stuck }) => stuck === 0);
  }

  private storageAt(path: string): Storage {
    return this.storageNamed(storageOf(path, this.mountPoints(), this.platform));
  }

  private storageNamed(name: string): Storage {
    let storage = this.storages.get(name);
    if (!storage) {
      storage = new Storage(name, this.maxStuck);
      this.storages.set(name, storage);
    }
    return storage;
  }
}
