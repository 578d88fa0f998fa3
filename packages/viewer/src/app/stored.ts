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

/** Returns the parts of a stored object that are valid, each by its own rule; the object may be anything. */
export function validOf<T>(
  stored: unknown,
  rules: { readonly [K in keyof T]?: (value: unknown) => boolean },
): Partial<T> {
  if (typeof stored !== 'object' || stored === null) return {};
  const parts = Object.entries(stored).filter(([key, value]) => rules[key as keyof T]?.(value));
  return Object.fromEntries(parts) as Partial<T>;
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
