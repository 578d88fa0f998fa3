import './icon.css';
import { h } from 'preact';
import { ICONS, type IconName } from './lucide.ts';

/** An icon in the color of the text, hidden from screen readers: its button has the name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon-drawing" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      {ICONS[name].map(([tag, attributes], i) => h(tag, { ...attributes, key: i }))}
    </svg>
  );
}
