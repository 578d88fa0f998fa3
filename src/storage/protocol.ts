/** Messages between the gate and its look-up threads. */
import type { ErrorRecord } from '../errors.js';
import type { AdmittedPath, PathPolicy } from './path-policy.js';

/** What is looked up, in one go on one thread. */
export type Lookup =
  | { kind: 'admit'; path: string; policy: PathPolicy; picked: boolean }
  /** What is there. */
  | { kind: 'find'; path: string }
  /** Whether the storage answers. */
  | { kind: 'probe'; path: string };

export type FoundKind = 'file' | 'folder' | 'other';

/** What the look-ups answer with. */
export interface LookupValues {
  admit: AdmittedPath;
  find: FoundKind;
  probe: undefined;
}

export interface LookupRequest {
  lookup: Lookup;
  /** Storages that may be touched. */
  admitted: readonly string[];
  mountPoints: readonly string[];
}

export type LookupReply =
  | { kind: 'done'; value: LookupValues[keyof LookupValues] }
  /** Another storage must be admitted first; nothing there was touched. */
  | { kind: 'crossing'; storage: string }
  /** `stack` is set for what nobody foresaw: it is for the log. */
  | { kind: 'failed'; error: ErrorRecord; stack?: string };

/** What a thread sends: that it turns to the system now, and then what the system answered. */
export type LookupMessage = { kind: 'begun' } | LookupReply;
