/** What the parts of the page share. */
import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { createTheme, type Theme } from '../../../viewer/src/app/theme.ts';
import { type Connection, connect, type OpenAnswer } from './connection.ts';

export interface Notice {
  readonly kind: 'error' | 'info';
  readonly text: string;
  /** A page to open by a link, where the browser does not open it by itself. */
  readonly link?: string;
}

/** A request that waits for the user or for a file, and can be canceled. */
export interface Waiting {
  readonly text: string;
  cancel(): void;
}

export interface Page {
  readonly connection: Connection;
  readonly theme: Signal<Theme>;
  readonly notice: Signal<Notice | null>;
  readonly waiting: Signal<Waiting | null>;
  /** Runs a request and shows its error. */
  run(work: () => Promise<unknown>): void;
  /** Opens files: by a dialog, or by a path. */
  open(text: string, path: string, body: object): void;
  showViewer(url: string): void;
}

export function createPage(): Page {
  const connection = connect();
  const notice = signal<Notice | null>(null);
  const waiting = signal<Waiting | null>(null);
  const page: Page = {
    connection,
    theme: createTheme(document.documentElement),
    notice,
    waiting,
    run(work) {
      notice.value = null;
      work().catch((error: unknown) => {
        if ((error as Error).name !== 'AbortError') notice.value = { kind: 'error', text: (error as Error).message };
      });
    },
    open(text, path, body) {
      const controller = new AbortController();
      waiting.value = { text, cancel: () => controller.abort() };
      page.run(async () => {
        try {
          const { viewer, name } = await connection.post<OpenAnswer>(path, body, controller.signal);
          if (viewer === null) return;
          if (connection.state.value?.opensViewer)
            notice.value = { kind: 'info', text: `${name || 'The viewer'} is open in the viewer.` };
          else page.showViewer(viewer);
        } finally {
          waiting.value = null;
        }
      });
    },
    showViewer(url) {
      if (window.open(url, '_blank') !== null) return;
      notice.value = { kind: 'info', text: 'The viewer is ready.', link: url };
    },
  };
  return page;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('no page');
  return page;
}
