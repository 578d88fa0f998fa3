/** Steps back and forth between states; equal ones are the caller's affair. */
export interface History<T> {
  readonly past: readonly T[];
  readonly future: readonly T[];
}

export interface Step<T> {
  readonly history: History<T>;
  readonly state: T;
}

const LONGEST = 200;

export const emptyHistory = <T>(): History<T> => ({ past: [], future: [] });

/** `before` is what a change is about to replace. */
export function recordStep<T>({ past }: History<T>, before: T): History<T> {
  return { past: [...past.slice(-(LONGEST - 1)), before], future: [] };
}

export function undoStep<T>({ past, future }: History<T>, now: T): Step<T> | null {
  if (past.length === 0) return null;
  return { history: { past: past.slice(0, -1), future: [now, ...future] }, state: past[past.length - 1]! };
}

export function redoStep<T>({ past, future }: History<T>, now: T): Step<T> | null {
  if (future.length === 0) return null;
  return { history: { past: [...past, now], future: future.slice(1) }, state: future[0]! };
}
