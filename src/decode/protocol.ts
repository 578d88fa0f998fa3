/** Messages between the pool and a worker. Errors cross as records: structured clone loses the fields of an Error. */
import type { ErrorRecord } from '../errors.js';
import type { FileState, OpenedFile, OpenFile, PlaneRequest } from './types.js';

export interface Answers {
  open: OpenedFile;
  plane: ArrayBuffer;
  check: FileState;
  close: FileState;
}

export type Call =
  | { kind: 'open'; file: OpenFile }
  | { kind: 'plane'; plane: PlaneRequest }
  | { kind: 'check' }
  | { kind: 'close' };

export type Answer = Answers[keyof Answers];

export type Request = Call & { id: number };

export type Reply =
  | { kind: 'ready' }
  | { kind: 'done'; id: number; value: Answer }
  /** `stack` is set for what nobody foresaw: it is for the log. */
  | { kind: 'failed'; id: number; error: ErrorRecord; stack?: string };
