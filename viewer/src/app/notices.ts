/** What the page has to tell: errors with what to do, and less. */
import { type Signal, signal } from '@preact/signals';
import { AcqClientError } from '../../../client/index.ts';

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'info';
  /** Stable code, for those who look it up. */
  readonly code: string | null;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  readonly action: NoticeAction | null;
}

export type NoticeParts = Pick<Notice, 'message'> & Partial<Omit<Notice, 'id' | 'message'>>;

export interface Notices {
  readonly list: Signal<readonly Notice[]>;
  tell(parts: NoticeParts): void;
  /** Of anything thrown, but for what the user stopped. `what` could not be done. */
  report(error: unknown, what?: string, action?: NoticeAction): void;
  dismiss(id: number): void;
}

const MOST = 4;

export function createNotices(): Notices {
  const list = signal<readonly Notice[]>([]);
  let last = 0;
  const notices: Notices = {
    list,
    tell({ message, ...rest }) {
      const notice = { kind: 'info', code: null, hint: '', action: null, ...rest, message } as const;
      const others = list.value.filter((one) => one.message !== message);
      last += 1;
      list.value = [...others, { ...notice, id: last }].slice(-MOST);
    },
    report(error, what = '', action) {
      if (isAbort(error)) return;
      const told = error instanceof AcqClientError ? error : unforeseen(error);
      const text = textOf(told);
      const message = what === '' ? text : `${what}: ${text}`;
      notices.tell({ kind: 'error', code: told.code, message, hint: told.hint, action: action ?? null });
    },
    dismiss(id) {
      list.value = list.value.filter((one) => one.id !== id);
    },
  };
  return notices;
}

/** Each fault of a request that was refused: nobody who looks at the page sees `details`. */
function textOf({ message, details }: { message: string; details?: AcqClientError['details'] }): string {
  return details?.length ? details.map((detail) => detail.message).join('; ') : message;
}

export function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === 'AbortError';
}

function unforeseen(error: unknown) {
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'page_error', message, hint: 'This is a mistake of this page: reload it, and report it please.' };
}
