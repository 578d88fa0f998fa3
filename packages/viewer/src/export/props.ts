import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Overlay } from '../model/extension.ts';
import type { Renderer } from '../render/types.ts';

export interface ExportProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly renderer: Renderer;
  readonly overlays: readonly Overlay[];
  /** True when the traces of all regions are in one chart. */
  readonly tracesOverlaid: boolean;
  /** Address of the server, which may be below the path of a proxy, without a trailing slash. */
  readonly serverUrl: string;
  /** Returns a link that restores this view; null for a file without a path, which was sent to the server. */
  link(): string | null;
  /** Copies text to the clipboard; returns false when the browser does not allow it. */
  copy(text: string): Promise<boolean>;
}
