import type { Pane } from '../model/document.ts';

const keys = new WeakMap<Pane, number>();
let last = 0;

/** The same for the same pane only: a component with this key is made anew with another pane, and all that it follows. */
export function paneKey(pane: Pane): number {
  let key = keys.get(pane);
  if (key === undefined) {
    last += 1;
    key = last;
    keys.set(pane, key);
  }
  return key;
}
