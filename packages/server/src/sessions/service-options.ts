import type { Decoder } from '../decode/types.js';
import type { PlaneArena } from '../planes/plane-memory.js';
import type { StorageGate } from '../storage/gate.js';
import type { SessionStore } from './store.js';

export interface SessionServiceOptions {
  /** Owned by the service, which closes it. */
  decoder: Decoder;
  /** Max workers of the decoder; 1 when omitted. */
  workers?: number;
  /** Owned by the service, which closes it. */
  gate: StorageGate;
  /** Real folders that opening by path is confined to; empty when paths are not confined. */
  roots: readonly string[];
  allowedExtensions: readonly string[];
  sessionTtlSeconds: number;
  maxSessionTtlSeconds: number;
  maxSessions: number;
  /** Limits of each user; none when omitted. */
  maxSessionsPerOwner?: number;
  opensPerOwner?: number;
  memoryBudgetBytes: number;
  /** Max bytes of the planes of each user; only the budget when omitted. */
  memoryPerOwnerBytes?: number;
  maxPlaneBytes: number;
  openTimeoutSeconds: number;
  /** Owned by the service, which closes it; the memory of this process when omitted. */
  store?: SessionStore;
  /** Memory of planes, instead of one of `memoryBudgetBytes`. */
  arena?: PlaneArena;
  /** Returns milliseconds since 1970; the value never decreases. */
  now?: () => number;
  /** Receives errors that are not reported to any client. */
  report?: (error: unknown) => void;
  /** What gives memory back while clients have nothing open, one after the other, beside the memory of planes. */
  rest?: readonly ((goesOn: () => boolean) => Promise<void>)[];
  /** Milliseconds from the end of the last session to that: when the process has grown, and in any case. */
  restAfterMs?: { grown: number; always: number };
  /** What the process has in memory, which decides whether it is worth it. */
  residentBytes?: () => number;
}
