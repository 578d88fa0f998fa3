import { effect, type Signal } from '@preact/signals';
import { storedSignal } from './stored.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Returns the stored theme, and sets it on the page as the attribute `data-theme`. */
export function createTheme(root: HTMLElement): Signal<Theme> {
  const theme = storedSignal<Theme>('theme', (value) => THEMES.find((name) => name === value) ?? 'system');
  effect(() => {
    if (theme.value === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme.value);
  });
  return theme;
}
