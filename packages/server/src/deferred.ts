export interface Deferred<T = void> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (error: unknown) => void;
}

/** Returns a promise, and what settles it. */
export function deferred<T = void>(): Deferred<T> {
  const parts = {} as Deferred<T>;
  parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  // Nothing may be waiting for it.
  parts.promise.catch(() => {});
  return parts;
}
