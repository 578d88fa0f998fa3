import { randomBytes } from 'node:crypto';

const LABEL = /^[0-9a-f]{4}$/;

/**
 * Returns 32 random hexadecimal digits; who knows them may read the session or fill the upload.
 * @param label replaces the first 4 of them, so that a balancer sends all requests about it to one instance; ignored
 * unless it is 4 hexadecimal digits
 */
export function makeId(label?: string): string {
  const id = randomBytes(16).toString('hex');
  return label !== undefined && LABEL.test(label) ? label + id.slice(label.length) : id;
}
