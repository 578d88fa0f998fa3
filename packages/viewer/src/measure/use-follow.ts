import { useEffect, useMemo } from 'preact/hooks';

/**
 * Creates something that follows signals, stops it when the component is removed, and creates it again when `inputs`
 * change.
 */
export function useFollow<T extends { stop(): void }>(create: () => T, inputs: readonly unknown[]): T {
  const created = useMemo(create, inputs);
  useEffect(() => () => created.stop(), [created]);
  return created;
}
