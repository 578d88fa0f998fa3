/** Starts the worker that reads files, and ends it when it is not needed, hangs or has crashed. */
import { AcqClientError, type CallOptions } from '@acquisition-store/client';
import type { ErrorRecord } from '@acquisition-store/readers/base/errors.js';
import type { GivenFiles } from '../model/client.ts';
import type { SentSamples } from './coming-plane.ts';
import type { Args, Method, Reply, Request, Result } from './protocol.ts';

/** Milliseconds that a call has to end after it was canceled; then its worker is ended. */
const GRACE_MS = 10_000;
/** Opening reads metadata alone, so it never takes this long. Milliseconds. */
const OPEN_MS = 60_000;

interface Waiting {
  onPart: WatchedOptions['onPart'];
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface WatchedOptions extends CallOptions {
  /** Takes the parts of a plane that come before its end. */
  onPart?: ((part: SentSamples) => void) | undefined;
}

export class WorkerHost {
  readonly given: GivenFiles;
  private readonly create: () => Worker;
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | null = null;
  private lastId = 0;
  private users = 0;
  /** Which worker it is: sessions of the one before are gone. */
  generation = 0;

  constructor(given: GivenFiles, create: () => Worker) {
    this.given = given;
    this.create = create;
  }

  /** For messages. */
  private get name(): string {
    return this.given.name || (this.given.files[0]?.path ?? '');
  }

  /** Keeps the worker until `leave`. */
  enter(): void {
    this.users += 1;
  }

  leave(): void {
    this.users -= 1;
    if (this.users === 0) this.end(closed(this.name));
  }

  /** @throws AcqClientError; the reason of the signal */
  call<M extends Method>(
    method: M,
    sessionId: string | null,
    args: Args<M>,
    { signal, onPart }: WatchedOptions = {},
  ): Promise<Result<M>> {
    signal?.throwIfAborted();
    const worker = this.start();
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      const stop = () => {
        reject(signal?.reason);
        worker.postMessage({ kind: 'cancel', id } satisfies Request);
        setTimeout(() => {
          // Sends no answer to a message as long as it computes.
          if (this.waiting.has(id) && this.worker === worker) this.end(stopped(this.name));
        }, GRACE_MS);
      };
      const timer = method === 'open' ? setTimeout(() => this.end(tookTooLong(this.name)), OPEN_MS) : undefined;
      const settle = () => {
        clearTimeout(timer);
        this.waiting.delete(id);
        signal?.removeEventListener('abort', stop);
      };
      this.waiting.set(id, {
        onPart,
        resolve: (value) => {
          settle();
          resolve(value as Result<M>);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener('abort', stop, { once: true });
      worker.postMessage({ kind: 'call', id, method, sessionId, args } satisfies Request);
    });
  }

  private start(): Worker {
    if (this.worker) return this.worker;
    const worker = this.create();
    this.worker = worker;
    this.generation += 1;
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const waiting = this.waiting.get(data.id);
      if ('part' in data) waiting?.onPart?.(data.part);
      else if ('value' in data) waiting?.resolve(data.value);
      else waiting?.reject(toError(data.error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(crashed(this.name, event.message));
    };
    worker.postMessage({ kind: 'files', given: this.given } satisfies Request);
    return worker;
  }

  /** Ends the worker. The next call starts another one. */
  private end(error: AcqClientError): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of [...this.waiting.values()]) reject(error);
  }
}

function toError({ code, message, details }: ErrorRecord): AcqClientError {
  // The usual hint is to put the file back, and the message says already to choose it.
  return new AcqClientError(code, message, { details, ...(code === 'companion_missing' ? { hint: '' } : {}) });
}

function closed(name: string): AcqClientError {
  return new AcqClientError('closed', `${name} was closed.`);
}

function stopped(name: string): AcqClientError {
  return new AcqClientError('interrupted', `${name}: reading was stopped.`);
}

function tookTooLong(name: string): AcqClientError {
  return new AcqClientError('load_timeout', `${name}: opening took longer than ${OPEN_MS / 1000} s and was stopped.`);
}

function crashed(name: string, reason: string): AcqClientError {
  return new AcqClientError('decode_failed', `${name}: the browser could not read it${reason ? ` (${reason})` : ''}.`);
}
