/** Messages to the user: errors with a hint on what to do, and information. There is one at a time, the newest. */

import { AcqClientError } from '@acquisition-store/client';
import { type Signal, signal } from '@preact/signals';
import { messageOf } from '../model/message-of.ts';

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'info';
  /** Stable error code, which the documentation explains. */
  readonly code: string | null;
  /** Id of the request in the log of the server. */
  readonly requestId: string | null;
  readonly message: string;
  /** What the user can do. */
  readonly hint: string;
  readonly action: NoticeAction | null;
}

type NoticeParts = Pick<Notice, 'message'> & Partial<Omit<Notice, 'id' | 'message'>>;

export interface Notices {
  readonly current: Signal<Notice | null>;
  /** Shows a message instead of the current one. */
  show(parts: NoticeParts): void;
  /** Shows any thrown error, except an abort by the user. `what` is put in front of the message. */
  report(error: unknown, what?: string, action?: NoticeAction): void;
  /** Removes the current message; with an id, only when it is that one. */
  dismiss(id?: number): void;
}

export function createNotices(): Notices {
  const current = signal<Notice | null>(null);
  let last = 0;
  const notices: Notices = {
    current,
    show({ message, ...rest }) {
      const notice = { kind: 'info', code: null, requestId: null, hint: '', action: null, ...rest, message } as const;
      last += 1;
      current.value = { ...notice, id: last };
    },
    report(error, what = '', action) {
      if (isAbort(error)) return;
      const cause = error instanceof AcqClientError ? error : unexpected(error);
      const text = toText(cause);
      const message = what === '' ? text : `${what}: ${text}`;
      const { code, hint } = cause;
      const requestId = cause instanceof AcqClientError ? cause.requestId : null;
      notices.show({ kind: 'error', code, requestId, message, hint, action: action ?? null });
    },
    dismiss(id) {
      if (id === undefined || current.value?.id === id) current.value = null;
    },
  };
  return notices;
}

/** Returns the message, or those of all invalid fields of a request: the page does not show `details`. */
function toText({ message, details }: { message: string; details?: AcqClientError['details'] }): string {
  return details?.length ? details.map((detail) => detail.message).join('; ') : message;
}

export function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === 'AbortError';
}

function unexpected(error: unknown) {
  console.error(error);
  const message = messageOf(error);
  return { code: 'page_error', message, hint: 'This is a bug in the viewer. Reload the page, and please report it.' };
}
