/** What the parts of the page share. */
import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { copyText } from '../../../viewer/src/app/copy.ts';
import { createTheme, type Theme } from '../../../viewer/src/app/theme.ts';
import type { OutsideFolders } from '../../src/supervisor/protocol.ts';
import { type AppMessage, type Connection, connect, type OpenAnswer, RequestError } from './connection.ts';

export interface Notice {
  readonly kind: 'error' | 'info';
  readonly text: string;
  /** A page to open by a link, where the browser does not open it by itself. */
  readonly link?: string;
  /** What the user can do about it. */
  readonly actions?: readonly NoticeAction[];
}

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

/** A request that waits for the user or for a file, and can be canceled. */
export interface WaitingRequest {
  readonly text: string;
  cancel(): void;
}

export interface Page {
  readonly connection: Connection;
  readonly theme: Signal<Theme>;
  readonly notice: Signal<Notice | null>;
  readonly waiting: Signal<WaitingRequest | null>;
  /** Runs a request and shows its error. */
  run(work: () => Promise<unknown>): void;
  /** Opens files: by a dialog, or by a path. */
  open(text: string, path: string, body: object): void;
  /** Runs work that opens files and shows each, while `text` says what is going on. */
  attempt(text: string, work: (signal: AbortSignal, show: (opened: OpenAnswer) => void) => Promise<void>): void;
  showViewer(url: string): void;
  showMessage(message: AppMessage): void;
  /** Shows an error, and offers to allow the folder of a file that the settings exclude. */
  showProblem(text: string, outside?: OutsideFolders): void;
}

/** Shown while the file dialog is open, which may be behind the window. */
export const DIALOG = 'A file dialog is open on the desktop.';

export function createPage(): Page {
  const connection = connect();
  const notice = signal<Notice | null>(null);
  const waiting = signal<WaitingRequest | null>(null);
  const page: Page = {
    connection,
    theme: createTheme(document.documentElement),
    notice,
    waiting,
    run(work) {
      notice.value = null;
      work().catch((error: unknown) => {
        if ((error as Error).name === 'AbortError') return;
        page.showProblem((error as Error).message, error instanceof RequestError ? error.outside : undefined);
      });
    },
    open(text, path, body) {
      page.attempt(text, async (signal, show) => show(await connection.post<OpenAnswer>(path, body, signal)));
    },
    attempt(text, work) {
      const controller = new AbortController();
      waiting.value = { text, cancel: () => controller.abort() };
      const show = ({ viewer }: OpenAnswer) => {
        // The application says whether the browser has started.
        if (viewer !== null && !connection.state.value?.opensViewer) page.showViewer(viewer);
      };
      page.run(() =>
        work(controller.signal, show).finally(() => {
          waiting.value = null;
        }),
      );
    },
    showViewer(url) {
      if (window.open(url, '_blank') !== null) return;
      notice.value = { kind: 'info', text: 'The viewer is ready.', link: url };
    },
    showMessage(message) {
      if (message.kind === 'notice') page.showProblem(message.message, message.outside);
      else if (message.kind === 'shown') notice.value = { kind: 'info', text: message.text };
      else notice.value = notShown(page, message);
    },
    showProblem(text, outside) {
      notice.value = outside ? askToAllow(page, text, outside) : { kind: 'error', text };
    },
  };
  return page;
}

function notShown({ notice }: Page, { url, problem }: Extract<AppMessage, { kind: 'not-shown' }>): Notice {
  const text = `The browser did not start (${problem}). Open this address in a browser: ${url}`;
  const copy = async () => {
    if (await copyText(url)) notice.value = { kind: 'info', text: 'The address was copied.' };
  };
  return { kind: 'error', text, actions: [{ label: 'Copy the address', run: () => void copy() }] };
}

function askToAllow(page: Page, text: string, outside: OutsideFolders): Notice {
  const count = page.connection.state.value?.open?.list.length ?? 0;
  const ends = count === 0 ? '' : ` and closes ${count} open ${count === 1 ? 'acquisition' : 'acquisitions'}`;
  return {
    kind: 'error',
    text: `${text} If you allow this folder, it is added to the settings; the server restarts${ends}.`,
    actions: [
      {
        label: 'Allow the folder',
        run: () => page.open('Restarting the server…', 'allow-folder', outside),
      },
    ],
  };
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('no page');
  return page;
}
