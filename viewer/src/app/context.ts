/** What every part of the page may ask for. */

import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Renderer } from '../render/renderer.ts';
import type { AskedFile } from './asked-file.ts';
import type { Keeper } from './sessions.ts';
import type { Theme } from './theme.ts';
import type { Workspace } from './workspace.ts';

export type DialogName = 'help' | 'server' | 'json';

export interface Page {
  readonly workspace: Workspace;
  readonly keeper: Keeper;
  /** What the address asks to open. */
  readonly asked: AskedFile;
  readonly theme: Signal<Theme>;
  readonly dialog: Signal<DialogName | null>;
  /** The side bar is there. */
  readonly sideShown: Signal<boolean>;
  /** The profile under the source images is there; null: under line scans. */
  readonly profileShown: Signal<boolean | null>;
  /** One for all images; made when the first is shown. */
  renderer(): Renderer;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('outside of the page');
  return page;
}
