/** Surveys of single recordings, for lists: they never keep those waiting who open a file. */
import { basename } from 'node:path';
import type { Who } from '../fair-line.js';
import { FairQueue } from '../fair-queue.js';
import { confine, shownPath } from '../paths/policy.js';
import type { Survey } from '../survey/survey.js';
import { withDeadline } from '../waiting.js';
import { tookTooLong } from './answers.js';
import { hasIdleWorker } from './opening.js';
import { PROGRAM, partyOf } from './record.js';
import type { SessionService } from './service.js';
import type { OpenSessionRequest } from './types.js';

/** A list does not wait longer for one recording. */
const MAX_SECONDS = 20;
/** Milliseconds that a survey that nobody waits for has to end by itself, before its worker is stopped. */
const GRACE_MS = 500;
/** Surveys that wait, of all lists together. */
const MAX_WAITING = 512;

/** What to survey, for whom. */
interface SurveyRequest extends Pick<OpenSessionRequest, 'path' | 'written' | 'folders' | 'openedBy' | 'owner'> {
  /** Draws the first plane. */
  thumbnail: boolean;
  /** Files whose whole recording is surveyed: the first one, or every one. */
  wholeOf: 'first' | 'any';
  signal: AbortSignal;
}

/** Surveys recordings for all clients, which take turns. */
export class Surveying {
  private readonly sessions: SessionService;
  private readonly queue: FairQueue;

  constructor(sessions: SessionService) {
    this.sessions = sessions;
    // A worker is left for those who open something, where there are several.
    const atOnce = Math.max(1, (sessions.options.workers ?? 1) - 1);
    this.queue = new FairQueue({ name: 'descriptions of recordings', atOnce, maxWaiting: MAX_WAITING });
  }

  /**
   * Says what lists show of the acquisition at a path, in turns with other lists.
   * @throws AcqError what an open throws; `load_timeout`; the reason of the signal
   */
  async survey(request: SurveyRequest): Promise<Survey> {
    const { signal, openedBy = PROGRAM, owner } = request;
    const who = { party: partyOf(openedBy, owner), session: 'surveys' };
    try {
      return await this.queue.run(who, signal, () => this.run(request, who));
    } finally {
      this.sessions.restSoon();
    }
  }

  private async run(request: SurveyRequest, who: Who): Promise<Survey> {
    const { path, thumbnail, wholeOf, signal } = request;
    const { decoder, gate, openTimeoutSeconds } = this.sessions.options;
    const policy = confine(this.sessions.policy, request);
    const seconds = Math.min(MAX_SECONDS, openTimeoutSeconds);
    const timeout = () => tookTooLong(basename(shownPath(path, policy)), seconds);
    const abandoned = whenAbandoned(signal);
    const deadline = { milliseconds: seconds * 1000, timeout, signals: [abandoned.signal, this.sessions.closing] };
    try {
      return await withDeadline(deadline, (within) => {
        const asked = { path, policy, isPicked: false, isFree: hasIdleWorker(decoder), signal: within, who };
        return gate.withAcquisition(asked, (located, watch) =>
          decoder.lease({ label: basename(located.path), who, ...watch }, (lease) =>
            lease.survey({ located, allowedExtensions: policy.allowedExtensions, thumbnail, wholeOf }),
          ),
        );
      });
    } finally {
      abandoned.forget();
    }
  }
}

/** Returns a signal that aborts a moment after another one, until it is forgotten: a worker that is stopped has to be replaced. */
function whenAbandoned(signal: AbortSignal): { signal: AbortSignal; forget: () => void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = () => {
    timer = setTimeout(() => late.abort(signal.reason), GRACE_MS);
  };
  signal.addEventListener('abort', leave, { once: true });
  const forget = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  };
  return { signal: late.signal, forget };
}
