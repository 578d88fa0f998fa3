/** Messages between the gate and its look-up threads. */
import type { Located } from '../paths/locate.js';
import type { PathPolicy } from '../paths/policy.js';
import type { ThreadFailure } from '../threads.js';

/** What is looked up, in one go on one thread. */
export type Lookup =
  | { kind: 'locate'; path: string; policy: PathPolicy; isPicked: boolean }
  /** What is there. */
  | { kind: 'find'; path: string }
  /** Whether the storage answers. */
  | { kind: 'probe'; path: string };

export type FoundKind = 'file' | 'folder' | 'other';

/** What the look-ups answer with. */
export interface LookupValues {
  locate: Located;
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
  | ({ kind: 'failed' } & ThreadFailure);

/** What a thread sends: that it turns to the system now, and then what the system answered. */
export type LookupMessage = { kind: 'begun' } | LookupReply;
