/** What the page knows of a recording that it follows. */

import { formatNumber } from '../model/number-text.ts';

export interface Live {
  /** How many time points, sections or lines there were when the newest was last on screen. */
  readonly seen: number;
  /** Index of the newest time point or section that was shown: while files are written quickly, there are newer ones by then. */
  readonly shown: number;
  /** When the files changed last, or following began; in milliseconds, as `Date.now()`. */
  readonly changedAt: number;
  /** Since when the files have changed and cannot be read; null when the newest planes are here. */
  readonly failedAt: number | null;
  /** Why they cannot be read; empty when they can. */
  readonly failure: string;
}

/** Milliseconds for which a file that cannot be read is not mentioned: it is being written. */
const PATIENCE = 3_000;
/** Milliseconds without a change after which the page says so, and then how long it has been. */
const QUIET = [30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000];

interface Situation {
  /** How many time points, sections or lines came since the newest was on screen; null while it is there. */
  readonly added: number | null;
  /** `Date.now()` */
  readonly now: number;
  readonly isPaused: boolean;
  readonly isConnected: boolean;
}

export function liveWords(live: Live, { added, now, isPaused, isConnected }: Situation): string {
  const parts = ['live', added === null ? '' : `${formatNumber(added)} new`];
  if (!isConnected) parts.push('waiting for the server');
  else if (isPaused) parts.push('paused');
  else if (isUnreadable(live, now)) parts.push('cannot be read now');
  else if (added === null) parts.push(quietWords(now - live.changedAt));
  return parts.filter(Boolean).join(' · ');
}

export function isUnreadable({ failedAt }: Live, now: number): boolean {
  return failedAt !== null && now - failedAt >= PATIENCE;
}

function quietWords(milliseconds: number): string {
  const reached = QUIET.findLast((time) => milliseconds >= time);
  if (reached === undefined) return '';
  const seconds = reached / 1000;
  const time = seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
  return `nothing new for ${time}`;
}
