/** What every part of the page may ask for. */

import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Keeper } from './sessions.ts';
import type { Theme } from './theme.ts';
import type { Workspace } from './workspace.ts';

export type DialogName = 'help' | 'server' | 'json';

export interface Page {
  readonly workspace: Workspace;
  readonly keeper: Keeper;
  readonly theme: Signal<Theme>;
  readonly dialog: Signal<DialogName | null>;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('outside of the page');
  return page;
}
