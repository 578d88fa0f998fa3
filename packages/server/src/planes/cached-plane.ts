import type { StoredPlane } from './plane-builder.js';

/** Decodes a plane; `signal` aborts when nobody waits for it any more. */
export type Decode = (signal: AbortSignal) => Promise<StoredPlane>;

/** A plane that is decoded before anybody has asked for it. */
export interface PlaneAhead {
  /** Settles when the decode has ended. */
  done: Promise<void>;
  /** Ends the decode, unless somebody waits for the plane by now. */
  stop(): void;
}

/** A plane in memory, or on its way there. Its bytes are counted from the start. */
export interface CachedPlane {
  byteLength: number;
  plane: Promise<StoredPlane>;
  /** Set when it is decoded: it may be dropped then, and decoded again. */
  stored: StoredPlane | undefined;
  /** Callers that wait for it. */
  waiting: number;
  /** Callers that use it. */
  pins: number;
  /** Forgotten, but still used. */
  isRemoved: boolean;
  /** Stops the decode; `undefined` when it is a part of an open, which fails with its own client. */
  stop: ((reason: unknown) => void) | undefined;
  /** While it is read ahead of its client: aborted when its memory is needed. Who waits for it gets it all the same. */
  ahead?: AbortController;
}

/** Decoded, and nobody uses it or is about to. */
export function isIdle({ stored, pins, waiting }: CachedPlane): boolean {
  return stored !== undefined && pins === 0 && waiting === 0;
}

/** On its way as a part of an open, or read ahead: it may fail for reasons that do not concern who waits for it. */
export function mayFailAlone({ stored, stop, ahead }: CachedPlane): boolean {
  return !stored && (!stop || ahead !== undefined);
}

/** On its way, and nobody has asked for it. */
export function canBeStopped({ stored, waiting, ahead }: CachedPlane): boolean {
  return !stored && ahead !== undefined && !ahead.signal.aborted && waiting === 1;
}
