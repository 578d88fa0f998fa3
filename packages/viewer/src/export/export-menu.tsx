import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import './export.css';
import { Icon } from '../icons/icon.tsx';
import type { ExportProps } from './props.ts';

/** The button that opens the dialog for saving and sharing. */
export function ExportMenu({ open, ...props }: ExportProps & { readonly open: Signal<boolean> }) {
  return (
    <>
      <button
        type="button"
        class="primary export-open"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+S"
        title="Save figures, images and numbers (Ctrl+S)"
        onClick={() => (open.value = true)}
      >
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
      <Body {...props} />
    </dialog>
  );
}

/** What is in the dialog is loaded when it opens, not with the page. */
function Body(props: ExportProps) {
  const part = useSignal<{
    readonly Dialog?: typeof import('./export-dialog.tsx').ExportDialog;
    readonly failed?: true;
  }>({});
  useEffect(() => {
    import('./export-dialog.tsx').then(
      ({ ExportDialog }) => (part.value = { Dialog: ExportDialog }),
      () => (part.value = { failed: true }),
    );
  }, [part]);
  const { Dialog, failed } = part.value;
  if (Dialog) return <Dialog {...props} />;
  return failed ? (
    <p class="export-hint" role="alert">
      This part of the page could not be loaded. Reload the page when the server runs.
    </p>
  ) : null;
}
