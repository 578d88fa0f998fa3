import { useEffect, useMemo } from 'preact/hooks';

/** Something that follows signals until it is stopped; made anew when `inputs` change. */
export function useFollow<T extends { stop(): void }>(make: () => T, inputs: readonly unknown[]): T {
  const made = useMemo(make, inputs);
  useEffect(() => () => made.stop(), [made]);
  return made;
}
