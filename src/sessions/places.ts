import type { PathPolicy } from '../paths/policy.js';
import type { OpenSessionRequest } from './types.js';

/** Returns the policy of a user who is confined to folders; the same where nobody is. */
export function confine(
  policy: PathPolicy,
  { folders, written }: Pick<OpenSessionRequest, 'folders' | 'written'>,
): PathPolicy {
  return { ...policy, ...(folders ? { folders } : {}), ...(written === undefined ? {} : { written }) };
}
