/** Waiting that ends with a signal. */
import { effect } from '@preact/signals';

/** Resolves after some time, or when `signal` is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, milliseconds));
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

/** Resolves when a condition on signals of the page is true, or when `signal` is aborted. */
export function until(condition: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let isOver = signal.aborted;
    let stop: (() => void) | undefined;
    const end = () => {
      isOver = true;
      stop?.();
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    // An effect that has ended itself in its first run could not be stopped yet.
    stop = effect(() => {
      if (!isOver && condition()) end();
    });
    if (isOver) end();
  });
}
