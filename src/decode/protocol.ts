/** Messages between the pool and a worker. Errors cross as records: structured clone loses the fields of an Error. */
import type { ErrorRecord } from '../errors.js';
import type { FileState, OpenedFile, OpenFile, PlaneRequest } from './types.js';

export interface Answers {
  open: OpenedFile;
  plane: undefined;
  check: FileState;
  close: FileState;
}

export type Call =
  | { kind: 'open'; file: OpenFile }
  | { kind: 'plane'; plane: PlaneRequest; isUsed: boolean }
  | { kind: 'check' }
  | { kind: 'close' };

export type Answer = Answers[keyof Answers];

/** `memory` of a plane travels with the request and comes back with the reply: it is never in two threads. */
export type Request = Call & { id: number; memory?: ArrayBuffer };

export type Reply =
  | { kind: 'ready' }
  | { kind: 'done'; id: number; value: Answer; memory: ArrayBuffer | undefined }
  /**
   * `stack` is set for what nobody foresaw: it is for the log. `unusable`: a module may have failed to load, and Node 20
   * never loads it again; the worker has to be replaced.
   */
  | ({ kind: 'failed'; id: number; memory: ArrayBuffer | undefined } & Failure);

export interface Failure {
  error: ErrorRecord;
  stack?: string;
  unusable?: boolean;
}
