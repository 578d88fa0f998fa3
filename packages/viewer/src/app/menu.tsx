import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { usePanel } from '../image/close-elsewhere.ts';

interface MenuProps {
  readonly label: string;
  readonly icon?: ComponentChildren;
  /** True for a button with the icon alone: the label is its name. */
  readonly isIconOnly?: boolean;
  readonly title?: string;
  /** True while the panel is visible, for a panel that a key opens too. */
  readonly shown?: Signal<boolean>;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a panel below it, closed by Escape, by a click elsewhere or when the focus leaves it. */
export function Menu({ label, icon, isIconOnly = false, title, shown, children }: MenuProps) {
  const { open, root, button, onKeyDown } = usePanel(shown);
  const id = useId();
  const close = () => {
    open.value = false;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape bubbles up from the controls inside
    <div class="app-menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={isIconOnly ? 'icon' : undefined}
        {...(isIconOnly && { 'aria-label': label })}
        title={title}
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {icon}
        {!isIconOnly && label}
      </button>
      <div id={id} class="app-menu-panel" hidden={!open.value}>
        {open.value && children(close)}
      </div>
    </div>
  );
}
