/** Limits of sessions: of all of them, and of each user, so that nobody can take everything. */
import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';

interface TtlOptions {
  sessionTtlSeconds: number;
  maxSessionTtlSeconds: number;
}

interface OwnerLimitOptions {
  maxSessionsPerOwner?: number;
  opensPerOwner?: number;
}

/** @throws AcqError `request_validation_failed` */
export function checkTtl(
  ttlSeconds: number | undefined,
  { sessionTtlSeconds, maxSessionTtlSeconds }: TtlOptions,
): void {
  const max = Math.max(sessionTtlSeconds, maxSessionTtlSeconds);
  if (ttlSeconds === undefined || ttlSeconds <= max) return;
  const message = `\`ttlSeconds\` must be at most ${grouped(max)} (--max-session-ttl)`;
  throw invalidRequest(['body', 'ttlSeconds'], message, 'less_than_equal');
}

/** What a client can do when the table of sessions is full. `acqstore mcp` says it with the name of its tool. */
export const ROOM_HINT = 'Delete one, or try again later.';

/** @throws AcqError `capacity_exceeded` */
export function checkCount(count: number, { maxSessions }: { maxSessions: number }): void {
  if (count < maxSessions) return;
  throw new AcqError(
    'capacity_exceeded',
    `The server holds ${plural(maxSessions, 'session')}, the limit (--max-sessions). ${ROOM_HINT}`,
  );
}

/** @throws AcqError `capacity_exceeded` */
export function checkOwnCount(count: number, { maxSessionsPerOwner }: { maxSessionsPerOwner: number }): void {
  if (count < maxSessionsPerOwner) return;
  const message = `You have ${plural(maxSessionsPerOwner, 'session')}, the limit of each user (--max-sessions-per-owner). Close one, or try again later.`;
  throw new AcqError('capacity_exceeded', message);
}

export class OwnerLimits {
  readonly #options: OwnerLimitOptions;
  /** Opens in progress of each owner. */
  readonly #opening = new Map<string, number>();

  constructor(options: OwnerLimitOptions) {
    this.#options = options;
  }

  /**
   * Runs an open of an owner.
   * @param owner nobody on a server without users, which limits no one
   * @param countSessions returns the open sessions of the owner
   * @throws AcqError `capacity_exceeded`
   */
  async run<T>(
    owner: string | undefined,
    countSessions: (owner: string) => number,
    open: () => Promise<T>,
  ): Promise<T> {
    if (owner === undefined) return open();
    const opening = this.#opening.get(owner) ?? 0;
    this.#check(opening, countSessions(owner));
    this.#opening.set(owner, opening + 1);
    try {
      return await open();
    } finally {
      const left = (this.#opening.get(owner) ?? 1) - 1;
      if (left > 0) this.#opening.set(owner, left);
      else this.#opening.delete(owner);
    }
  }

  #check(opening: number, sessions: number): void {
    const { maxSessionsPerOwner = Infinity, opensPerOwner = Infinity } = this.#options;
    if (opening >= opensPerOwner) {
      const message = `${plural(opensPerOwner, 'file')} of yours are being opened, the limit (--opens-per-owner). Try again in a few seconds.`;
      throw new AcqError('capacity_exceeded', message);
    }
    checkOwnCount(sessions + opening, { maxSessionsPerOwner });
  }
}
