/** Runs what the user asked for, and reports why it failed. */
import { hasCode } from '@acquisition-store/client';
import { isAbort, type NoticeAction, type Notices } from './notices.ts';
import type { Server } from './server.ts';
import type { Task, Tasks } from './tasks.ts';

export interface Attempts {
  /**
   * Runs `work` as a task of the page. Returns false when it failed or was canceled; a failure is reported with
   * `retry`, or waits for the token when the server requires one.
   */
  run(label: string, work: (task: Task) => Promise<void>, retry?: () => void): Promise<boolean>;
  /** Runs `retry` once the user has entered a token; only the latest one waits. */
  afterToken(retry: () => void): void;
  /** Runs what waits for a token. */
  resume(): void;
}

export function createAttempts(server: Server, notices: Notices, tasks: Tasks): Attempts {
  let waiting: (() => void) | null = null;
  /** The message about the last attempt that failed. A new attempt makes it obsolete. */
  let failure: number | undefined;
  return {
    async run(label, work, retry) {
      if (failure !== undefined) notices.dismiss(failure);
      try {
        await tasks.run(label, work);
        return true;
      } catch (error) {
        if (isAbort(error)) return false;
        server.suspect(error);
        const action: NoticeAction | undefined = retry && { label: 'Try again', run: retry };
        if (hasCode(error, 'unauthorized')) waiting = retry ?? null;
        else {
          notices.report(error, '', action);
          failure = notices.current.value?.id;
        }
        return false;
      }
    },
    afterToken(retry) {
      waiting = retry;
    },
    resume() {
      const retry = waiting;
      waiting = null;
      retry?.();
    },
  };
}
