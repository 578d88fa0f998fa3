import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { usePage } from './context.ts';
import { Icon } from './icons.tsx';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Above the page, until Escape, its cross, or a click beside it. The browser keeps the focus inside. */
export function Dialog({ title, children }: Props) {
  const { dialog } = usePage();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // The browser gives the focus back at once; later it would be taken from where it has gone meanwhile.
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
