/** What is done when an answer is over. */
import type { ServerResponse } from 'node:http';

const actions = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Runs `action` when the answer has been sent or its client has gone, after those that were given before. One answer has many:
 * each as a listener of its own, Node would warn of a leak.
 */
export function whenClosed(response: ServerResponse, action: () => void): void {
  const known = actions.get(response);
  if (known) {
    known.push(action);
    return;
  }
  const all = [action];
  actions.set(response, all);
  response.once('close', () => {
    for (const one of all) one();
  });
}
