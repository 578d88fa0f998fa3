import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { useCloseElsewhere } from './close-elsewhere.ts';
import { menuItems, moveInMenu } from './menu-items.ts';

interface ToolMenuProps {
  /** Name of the button, which says what is in the menu. */
  readonly label: string;
  readonly title: string;
  readonly keys?: string;
  /** What is in the button. */
  readonly face: ComponentChildren;
  /** A narrow arrow that belongs to the button before it. */
  readonly isArrow?: boolean;
  /** True while the menu is visible, for a menu that a key opens too. */
  readonly shown?: Signal<boolean>;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button of the toolbar with a menu below it, closed by Escape, by a choice, and when the focus leaves it. */
export function ToolMenu({ label, title, keys, face, isArrow = false, shown, children }: ToolMenuProps) {
  const own = useSignal(false);
  const open = shown ?? own;
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** What had the focus when a key opened the menu. */
  const opener = useRef<HTMLElement | null>(null);
  const close = () => {
    open.value = false;
  };
  const leave = () => {
    close();
    (opener.current?.isConnected ? opener.current : button.current)?.focus();
  };
  useCloseElsewhere(root, open);
  useLayoutEffect(() => {
    if (!open.value) return;
    const { activeElement } = document;
    const isOutside = activeElement instanceof HTMLElement && activeElement !== document.body;
    opener.current = isOutside && !root.current?.contains(activeElement) ? activeElement : null;
    menuItems(root.current)[0]?.focus();
  }, [open.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open.value) {
      if (event.key !== 'ArrowDown') return;
      open.value = true;
    } else if (!moveInMenu(event, root.current, close)) {
      // Nothing lies to the left or right.
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') leave();
      else button.current?.focus();
      // The next control is the one after the button.
      if (event.key === 'Tab') return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up from the items inside
    <span class="image-menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={`image-tool${isArrow ? ' image-tool-arrow' : ''}`}
        aria-label={label}
        title={title}
        aria-haspopup="menu"
        aria-expanded={open.value}
        aria-keyshortcuts={keys}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {face}
      </button>
      {open.value && (
        <div class="image-menu-panel" role="menu" aria-label={label}>
          {children(leave)}
        </div>
      )}
    </span>
  );
}

interface MenuItemProps {
  readonly role: 'menuitemcheckbox' | 'menuitemradio';
  readonly label: string;
  readonly keys: string;
  readonly checked: boolean;
  readonly title?: string | undefined;
  readonly face?: ComponentChildren;
  act(): void;
}

/** One choice of a menu, with its key. */
export function MenuItem({ role, label, keys, checked, title, face, act }: MenuItemProps) {
  return (
    <button
      type="button"
      {...{ role, 'aria-checked': checked }}
      class="quiet"
      tabIndex={-1}
      aria-keyshortcuts={keys}
      title={title}
      onClick={act}
    >
      <Icon name="check" />
      {face}
      <span class="image-menu-word">{label}</span>
      <span class="image-menu-keys" aria-hidden="true">
        {keys}
      </span>
    </button>
  );
}
