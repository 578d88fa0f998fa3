import type { PathPolicy } from '../paths/policy.js';

/** Returns the policy of a user who is confined to folders; the same where nobody is. */
export function confine(policy: PathPolicy, { folders }: { folders?: readonly string[] | undefined }): PathPolicy {
  return folders ? { ...policy, folders } : policy;
}
