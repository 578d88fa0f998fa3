import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Overlay } from '../model/extension.ts';
import type { Renderer } from '../render/renderer.ts';
import './export.css';
import { ExportDialog } from './export-dialog.tsx';

export interface ExportMenuProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly renderer: Renderer;
  readonly overlays: readonly Overlay[];
  /** Address that brings this view back. */
  link(): string;
  /** Puts a text on the clipboard; false when the browser does not let it. */
  copy(text: string): Promise<boolean>;
}

/** A button, and the dialog with all that can be taken away. */
export function ExportMenu(props: ExportMenuProps) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="export-open" aria-haspopup="dialog" onClick={() => (open.value = true)}>
        Save…
      </button>
      {open.value && <Frame {...props} close={() => (open.value = false)} />}
    </>
  );
}

function Frame({ close, ...props }: ExportMenuProps & { close(): void }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The browser gives the focus back at once; later it would be taken from where it has gone meanwhile.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} class="export-dialog" aria-labelledby={id} onClose={close}>
      <header class="export-header">
        <h2 id={id}>Save and share</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      <ExportDialog {...props} />
    </dialog>
  );
}
