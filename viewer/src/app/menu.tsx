import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly icon?: ComponentChildren;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a panel below it, closed by Escape, by a click elsewhere or when the focus leaves it. */
export function Menu({ label, icon, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => setOpen(false);
  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close();
    };
    addEventListener('pointerdown', elsewhere, true);
    addEventListener('focusin', elsewhere, true);
    return () => {
      removeEventListener('pointerdown', elsewhere, true);
      removeEventListener('focusin', elsewhere, true);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    close();
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape bubbles up from the controls inside
    <div class="app-menu" ref={root} onKeyDown={onKeyDown}>
      <button type="button" ref={button} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {icon}
        {label}
      </button>
      <div id={id} class="app-menu-panel" hidden={!open}>
        {open && children(close)}
      </div>
    </div>
  );
}
