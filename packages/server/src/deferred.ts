interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Returns a promise, and what settles it. */
export function deferred(): Deferred {
  const parts = {} as Deferred;
  parts.promise = new Promise<void>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  // Nothing may be waiting for it.
  parts.promise.catch(() => {});
  return parts;
}
