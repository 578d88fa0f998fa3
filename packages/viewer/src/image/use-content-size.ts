import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Size } from '../model/geometry.ts';

/** Follows the inner size of an element, CSS pixels; 0 × 0 before it is known. */
export function useContentSize(element: RefObject<HTMLElement | null>): Signal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, size]);
  return size;
}
