import type { Signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import './export.css';
import { Icon } from '../icons/icon.tsx';
import { ExportDialog } from './export-dialog.tsx';
import type { ExportProps } from './props.ts';

/** The button that opens the dialog for saving and sharing. */
export function ExportMenu({ open, ...props }: ExportProps & { readonly open: Signal<boolean> }) {
  return (
    <>
      <button type="button" class="export-open" aria-haspopup="dialog" onClick={() => (open.value = true)}>
        <Icon name="save" />
        <span>Save…</span>
      </button>
      {open.value && <Frame {...props} close={() => (open.value = false)} />}
    </>
  );
}

function Frame({ close, ...props }: ExportProps & { close(): void }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Close now, while the browser can return the focus; later it would take it away from another element.
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
