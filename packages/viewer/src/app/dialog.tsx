import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A modal dialog, closed by Escape, its close button or a click outside. The browser keeps the focus inside. */
export function Dialog({ title, children }: DialogProps) {
  const { dialog } = usePage();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // Close now, while the browser can return the focus; later it would take it away from another element.
    return () => shown?.close();
  }, []);
  const close = () => {
    dialog.value = null;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by itself
    <dialog
      ref={element}
      class="app-dialog"
      aria-labelledby={id}
      onClose={close}
      onClick={(event) => event.target === element.current && close()}
    >
      <div class="app-dialog-inner">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet icon" aria-label="Close" title="Close (Esc)" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
