/**
 * A file that the address names. A link on any site, in a mail or a document can bring the user here, so the file is
 * opened only when the user says so, unless this page itself wrote the path into the address. It marks what it writes
 * with `history.state`, which stays when the page is loaded again, and which no other site can set.
 */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { toAddress, type Wish } from './address.ts';
import type { Workspace } from './workspace.ts';

/** A wish whose path is known. */
export type FileWish = Wish & { readonly path: string };

export interface AskedFile {
  /** Waits for the user's word. */
  readonly wish: ReadonlySignal<FileWish | null>;
  /** True while the address names a file that is not open yet: the address must stay. */
  readonly busy: ReadonlySignal<boolean>;
  /** Opens the file at once if this page opened it before, else asks. */
  follow(wish: FileWish): Promise<void>;
  accept(): Promise<void>;
  dismiss(): void;
}

export function createAskedFile(workspace: Workspace, open: (wish: FileWish) => Promise<void>): AskedFile {
  const wish: Signal<FileWish | null> = signal(null);
  const busy = signal(false);

  const start = async (next: FileWish) => {
    wish.value = null;
    busy.value = true;
    try {
      await open(next);
    } finally {
      busy.value = false;
    }
  };
  return {
    wish,
    busy,
    async follow(next) {
      if (isOurs(next.path, history.state) || isOpen(next.path, workspace)) await start(next);
      else {
        wish.value = next;
        busy.value = true;
      }
    },
    async accept() {
      if (wish.value === null) return;
      const { path, view } = wish.value;
      // Loading the page again while the file is being read must not ask again.
      history.replaceState(mark(path), '', location.pathname + toAddress(path, view));
      await start(wish.value);
    },
    dismiss() {
      wish.value = null;
      busy.value = false;
    },
  };
}

/** `history.state` of an address that this page writes for a file that it has opened. */
export function mark(path: string): { opened: string } {
  return { opened: path };
}

export function isOurs(path: string, state: unknown): boolean {
  return typeof state === 'object' && state !== null && (state as { opened?: unknown }).opened === path;
}

/** Characters that are not seen, or that turn the order of others, as escapes: a path must look like what it is. */
export function visiblePath(path: string): string {
  return path.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isOpen(path: string, { tabs }: Workspace): boolean {
  return tabs.value.some(({ document }) => document.info.value.source.path === path);
}
