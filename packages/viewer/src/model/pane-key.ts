import type { Pane } from './document.ts';

const keys = new WeakMap<Pane, number>();
let last = 0;

/** Returns a number that is unique to a pane. A component with this key is created again for another pane. */
export function paneKey(pane: Pane): number {
  let key = keys.get(pane);
  if (key === undefined) {
    last += 1;
    key = last;
    keys.set(pane, key);
  }
  return key;
}
