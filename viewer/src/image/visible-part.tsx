import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Card, cardViewport } from './card.ts';
import { axisTitle, type DisplayAxis, displayAxes, visibleExtent } from './plane-axes.ts';
import { scaleFor } from './ticks.ts';

/** The ends of both axes as text, for screen readers. */
export function VisiblePart({ card, id }: { readonly card: Card; readonly id: string }) {
  const text = useMemo(() => computed(() => visiblePart(card)), [card]);
  return (
    <span class="image-hidden image-extent" id={id}>
      {text}
    </span>
  );
}

function visiblePart(card: Card): string {
  const viewport = cardViewport(card);
  if (viewport === null) return '';
  const axes = displayAxes(card.pane);
  return [extentText(axes.x, viewport.view, 'x'), extentText(axes.y, viewport.view, 'y')].join('; ');
}

function extentText(axis: DisplayAxis, view: Parameters<typeof visibleExtent>[1], along: 'x' | 'y'): string {
  const { from, to } = visibleExtent(axis, view, along);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const { factor } = scaleFor(axis.unit, largest);
  // Rounded to a millionth of what is visible: the exact end of a zoomed view can be 2e-15 instead of 0.
  const decimals = Math.min(20, Math.max(0, 6 - Math.ceil(Math.log10((to - from) * factor))));
  const shown = (value: number) => String(Number((value * factor).toFixed(decimals)) + 0);
  return `${axisTitle(axis, largest)} ${shown(from)} to ${shown(to)}`;
}
