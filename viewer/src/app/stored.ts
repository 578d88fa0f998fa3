/** Settings that the page stores in this browser. Everything works without them. */
import { effect, type Signal, signal } from '@preact/signals';

/** Returns a stored value, or null when storage is not available. The value may be anything. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`acqstore.${key}`) ?? 'null');
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(`acqstore.${key}`, JSON.stringify(value));
  } catch {
    // Storage is full or not allowed: the value lasts until the page is closed.
  }
}

/** Returns a signal that starts with the stored value, checked by `read`, and stores each change. */
export function storedSignal<T>(key: string, read: (value: unknown) => T): Signal<T> {
  const value = signal(read(readStored(key)));
  let first = true;
  effect(() => {
    const now = value.value;
    if (!first) writeStored(key, now);
    first = false;
  });
  return value;
}
