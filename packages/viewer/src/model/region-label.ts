import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Name of the acquisition around a component while two are shown; null while one is. */
export const BesideName = createContext<string | null>(null);

/** Returns the label of a region of the page; with two acquisitions side by side it names the one that it is of. */
export function useRegionLabel(label: string): string {
  const name = useContext(BesideName);
  return name === null ? label : `${label} of ${name}`;
}
