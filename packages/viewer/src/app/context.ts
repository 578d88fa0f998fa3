/** State that every component of the page can use. */

import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { UserLut } from '../luts/user-luts.ts';
import type { Renderer } from '../render/types.ts';
import type { TraceSettings } from '../stack/traces.ts';
import type { AskedFile } from './asked-file.ts';
import type { Beside } from './beside.ts';
import type { Phone } from './phone.ts';
import type { Keeper } from './sessions.ts';
import type { Theme } from './theme.ts';
import type { Workspace } from './workspace.ts';

export type DialogName = 'help' | 'server' | 'json' | 'files' | 'calibration' | 'planes';

export interface Page {
  readonly workspace: Workspace;
  readonly keeper: Keeper;
  /** The file that is named in the address. */
  readonly asked: AskedFile;
  /** Two acquisitions beside each other. */
  readonly beside: Beside;
  readonly theme: Signal<Theme>;
  readonly dialog: Signal<DialogName | null>;
  /** True when the sidebar is visible. */
  readonly sideShown: Signal<boolean>;
  readonly phone: Phone;
  /** Width of the sidebar in CSS pixels, as the user has set it; null for that of the page. */
  readonly sideWidth: Signal<number | null>;
  /** True when the reference image is below the images, in place of the plots. */
  readonly referenceEnlarged: Signal<boolean>;
  /** True while the ways to open a file are visible below the bar. */
  readonly openMenuShown: Signal<boolean>;
  /** True while the list of all open acquisitions is visible. */
  readonly openListShown: Signal<boolean>;
  /** True when the profile is visible under the source images; null shows it for line scans only. */
  readonly profileShown: Signal<boolean | null>;
  /** Color tables that the user has added, kept in this browser. */
  readonly luts: Signal<readonly UserLut[]>;
  /** True when the table of marks is visible under the images. */
  readonly marksShown: Signal<boolean>;
  /** True while the dialog for saving is open. */
  readonly saving: Signal<boolean>;
  /** True when the velocity over time is visible under a line scan. */
  readonly velocityShown: Signal<boolean>;
  readonly traces: TraceSettings;
  /** Returns the renderer that all images share. It is created for the first image. */
  renderer(): Renderer;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('usePage() was called outside of PageContext');
  return page;
}
