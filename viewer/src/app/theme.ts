import { effect, type Signal } from '@preact/signals';
import { storedSignal } from './stored.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Remembered, and put on the page by an attribute that the tokens know. */
export function createTheme(root: HTMLElement): Signal<Theme> {
  const theme = storedSignal<Theme>('theme', (value) => THEMES.find((one) => one === value) ?? 'system');
  effect(() => {
    if (theme.value === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme.value);
  });
  return theme;
}
