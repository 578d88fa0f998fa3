/** What the page remembers between visits, in the browser of this user alone. Nothing of it is needed. */
import { effect, type Signal, signal } from '@preact/signals';

/** A browser may refuse storage, or hold anything under our names. */
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
    // Full or forbidden: it is forgotten with the page.
  }
}

/** A signal that starts with what is remembered, if `read` accepts it, and is remembered on each change. */
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
