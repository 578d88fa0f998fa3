import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';

/** Returns a signal with the last value that was not null; null before the first. */
export function useLast<T>(value: ReadonlySignal<T | null>): ReadonlySignal<T | null> {
  const last = useRef<T | null>(null);
  return useComputed(() => {
    last.current = value.value ?? last.current;
    return last.current;
  });
}
