/** Whether the files that records in a shared store name may be opened here. */
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { PathPolicy } from '../paths/policy.js';
import type { SessionRecord } from './record.js';
import type { OpenSessionRequest } from './types.js';

/** Looks the path of a session up, as an open does. */
type Locate = (record: SessionRecord, policy: PathPolicy) => Promise<unknown>;

/** Codes of a path that may be opened, if it can be read. */
const ALLOWED: readonly ErrorCode[] = ['path_not_found', 'path_not_readable'];
const REFUSED: readonly ErrorCode[] = ['path_not_allowed', 'request_validation_failed', 'unsupported_format'];

/** Returns the policy of a user who is confined to folders; the same where nobody is. */
export function confine(
  policy: PathPolicy,
  { folders, written }: Pick<OpenSessionRequest, 'folders' | 'written'>,
): PathPolicy {
  return { ...policy, ...(folders ? { folders } : {}), ...(written === undefined ? {} : { written }) };
}

/** Whoever can write to the store does not choose what this instance opens, and for whom. */
export class Places {
  private readonly policy: PathPolicy;
  private readonly locate: Locate;
  private readonly report: (error: unknown) => void;
  private readonly known = new WeakMap<SessionRecord, { key: string; policy: PathPolicy; answer: Promise<boolean> }>();

  constructor(policy: PathPolicy, locate: Locate, report: (error: unknown) => void) {
    this.policy = policy;
    this.locate = locate;
    this.report = report;
  }

  /**
   * True when a user may open the file of a session; asked once for each session and the folders of its user. The file of an
   * upload is opened by the instance alone that has it.
   * @throws AcqError `storage_unavailable`, `load_timeout`
   */
  async allows(record: SessionRecord, folders: readonly string[] | undefined): Promise<boolean> {
    if (record.elsewhere === undefined || record.isUpload) return true;
    const key = JSON.stringify(folders ?? null);
    let known = this.known.get(record);
    if (known?.key !== key) {
      const policy = confine(this.policy, folders ? { folders } : {});
      known = { key, policy, answer: this.look(record, policy) };
      this.known.set(record, known);
      known.answer.catch(() => this.known.delete(record));
    }
    return known.answer;
  }

  /** Returns the policy of the user who asked for a session last. */
  policyOf(record: SessionRecord): PathPolicy {
    return this.known.get(record)?.policy ?? this.policy;
  }

  private async look(record: SessionRecord, policy: PathPolicy): Promise<boolean> {
    try {
      await this.locate(record, policy);
      return true;
    } catch (error) {
      const code = error instanceof AcqError ? error.code : 'internal_error';
      if (ALLOWED.includes(code)) return true;
      if (!REFUSED.includes(code)) throw error;
      this.report(
        new Error(`the session ${record.id.slice(0, 8)}… of another instance is of a file that may not be opened here`),
      );
      return false;
    }
  }
}
