/**
 * A file that is named in the address. The user may have followed a link from any site, email or document, so the file
 * is opened only after the user confirms, unless this page wrote the path into the address itself. The page marks such
 * addresses with `history.state`, which survives a reload and which no other site can set.
 */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type LinkTarget, toAddress } from './address.ts';
import type { Workspace } from './workspace.ts';

/** A link that contains the path of a file. */
export type FileTarget = LinkTarget & { readonly path: string };

export interface AskedFile {
  /** The file that waits for confirmation. */
  readonly pending: ReadonlySignal<FileTarget | null>;
  /** True while the address names a file that is not open yet; the address must not be overwritten. */
  readonly busy: ReadonlySignal<boolean>;
  /** Opens the file if this page has opened it before; otherwise asks the user. */
  follow(target: FileTarget): Promise<void>;
  accept(): Promise<void>;
  dismiss(): void;
}

export function createAskedFile(workspace: Workspace, open: (target: FileTarget) => Promise<void>): AskedFile {
  const pending: Signal<FileTarget | null> = signal(null);
  const busy = signal(false);

  const start = async (next: FileTarget) => {
    pending.value = null;
    busy.value = true;
    try {
      await open(next);
    } finally {
      busy.value = false;
    }
  };
  return {
    pending,
    busy,
    async follow(next) {
      if (isOurs(next.path, history.state) || isOpen(next.path, workspace)) await start(next);
      else {
        pending.value = next;
        busy.value = true;
      }
    },
    async accept() {
      if (pending.value === null) return;
      const { path, view } = pending.value;
      // A reload while the file is being opened must not ask again.
      history.replaceState(mark(path), '', location.pathname + toAddress(path, view));
      await start(pending.value);
    },
    dismiss() {
      pending.value = null;
      busy.value = false;
    },
  };
}

/** Returns the `history.state` of an address that this page writes for a file it has opened. */
export function mark(path: string): { opened: string } {
  return { opened: path };
}

export function isOurs(path: string, state: unknown): boolean {
  return typeof state === 'object' && state !== null && (state as { opened?: unknown }).opened === path;
}

/** Escapes invisible characters and those that change the text direction, so that a path cannot be disguised. */
export function visiblePath(path: string): string {
  return path.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isOpen(path: string, { tabs }: Workspace): boolean {
  return tabs.value.some(({ document }) => document.info.value.source.path === path);
}
