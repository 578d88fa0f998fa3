import { randomBytes } from 'node:crypto';

const LABEL = /^[0-9a-f]{4}$/;

/**
 * Returns 32 random hexadecimal digits; who knows them may read the session.
 * @param label replaces the first 4 of them, so that a balancer sends all requests of the session to one instance; ignored
 * unless it is 4 hexadecimal digits
 */
export function makeSessionId(label?: string): string {
  const id = randomBytes(16).toString('hex');
  return label !== undefined && LABEL.test(label) ? label + id.slice(label.length) : id;
}
