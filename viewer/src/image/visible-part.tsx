import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { formatRange } from '../model/number-text.ts';
import { scaleFor } from '../model/units.ts';
import { type Card, cardViewport } from './card.ts';
import { axisTitle, type DisplayAxis, displayAxes, visibleExtent } from './plane-axes.ts';

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
  return `${axisTitle(axis, largest)} ${formatRange(from * factor, to * factor).join(' to ')}`;
}
