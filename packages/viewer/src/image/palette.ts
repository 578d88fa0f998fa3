import { type ReadonlySignal, signal } from '@preact/signals';

/** Colors of a card, as CSS and for the renderer. */
export interface CardColors {
  readonly text: string;
  readonly line: string;
  readonly accent: string;
  readonly font: string;
}

const changes = signal(0);

/** Counts changes of the theme. Read it in an effect to repaint after a change. */
export const themeChanges: ReadonlySignal<number> = changes;

const scale = signal(1);

/** Factor by which style/base.css enlarges all text on very wide screens. */
export const textScale: ReadonlySignal<number> = scale;

if (typeof document !== 'undefined') {
  const wide = matchMedia('(min-width: 2800px)');
  const measure = () => {
    scale.value = wide.matches ? 16 / 13 : 1;
  };
  wide.addEventListener('change', measure);
  measure();
  const changed = () => {
    changes.value += 1;
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

/** Returns the theme colors that the style sheet gives an element as text, border and outline color. */
export function paletteOf(element: Element): CardColors {
  const { color, borderTopColor, outlineColor, fontFamily } = getComputedStyle(element);
  return { text: color, line: borderTopColor, accent: outlineColor, font: fontFamily };
}

/** Returns the background of an element as bytes. */
export function groundOf(element: Element): [number, number, number] {
  const numbers =
    getComputedStyle(element)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
}
