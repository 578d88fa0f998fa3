/** Messages to the user: errors with a hint on what to do, and information. */
import { type Signal, signal } from '@preact/signals';
import { AcqClientError } from '../../../client/index.ts';

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'info';
  /** Stable error code, which the documentation explains. */
  readonly code: string | null;
  readonly message: string;
  /** What the user can do. */
  readonly hint: string;
  readonly action: NoticeAction | null;
}

type NoticeParts = Pick<Notice, 'message'> & Partial<Omit<Notice, 'id' | 'message'>>;

export interface Notices {
  readonly list: Signal<readonly Notice[]>;
  show(parts: NoticeParts): void;
  /** Shows any thrown error, except an abort by the user. `what` is put in front of the message. */
  report(error: unknown, what?: string, action?: NoticeAction): void;
  dismiss(id: number): void;
}

const MAX_NOTICES = 4;

export function createNotices(): Notices {
  const list = signal<readonly Notice[]>([]);
  let last = 0;
  const notices: Notices = {
    list,
    show({ message, ...rest }) {
      const notice = { kind: 'info', code: null, hint: '', action: null, ...rest, message } as const;
      const others = list.value.filter((other) => other.message !== message);
      last += 1;
      list.value = [...others, { ...notice, id: last }].slice(-MAX_NOTICES);
    },
    report(error, what = '', action) {
      if (isAbort(error)) return;
      const cause = error instanceof AcqClientError ? error : unexpected(error);
      const text = toText(cause);
      const message = what === '' ? text : `${what}: ${text}`;
      notices.show({ kind: 'error', code: cause.code, message, hint: cause.hint, action: action ?? null });
    },
    dismiss(id) {
      list.value = list.value.filter((other) => other.id !== id);
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
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'page_error', message, hint: 'This is a bug in the viewer. Reload the page, and please report it.' };
}
