import type { GivenFiles } from '../model/client.ts';
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
  /** False for a page that stands alone. */
  readonly hasServer: boolean;
  /** Sends files that the page reads itself to the server; null where it takes none. */
  readonly send: ((given: GivenFiles) => void) | null;
  /** Returns a link that restores this view; null for a file without a path, which was sent to the server. */
  link(): string | null;
  /** Copies text to the clipboard; returns false when the browser does not allow it. */
  copy(text: string): Promise<boolean>;
}
