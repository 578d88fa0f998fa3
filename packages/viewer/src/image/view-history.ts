/** An undo history of states. The caller does not record a state that equals the current one. */
export interface History<T> {
  readonly past: readonly T[];
  readonly future: readonly T[];
}

interface Step<T> {
  readonly history: History<T>;
  readonly state: T;
}

const LONGEST = 200;

export const emptyHistory = <T>(): History<T> => ({ past: [], future: [] });

/** Records `before`, the state that a change is about to replace. */
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
