import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { formatRange } from '../model/number-text.ts';
import { gapsBetween, placeAtTime } from '../model/row-layout.ts';
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
  const parts = [extentText(axes.x, viewport.view, 'x'), extentText(axes.y, viewport.view, 'y')];
  return [...parts, ...gapsText(axes.x, viewport.view, 'x'), ...gapsText(axes.y, viewport.view, 'y')].join('; ');
}

/** Pauses that are named one by one. */
const MAX_NAMED = 3;

/** Returns `not recorded: 6 to 8 s` for what is visible. */
function gapsText(axis: DisplayAxis, view: Parameters<typeof visibleExtent>[1], along: 'x' | 'y'): string[] {
  if (axis.rows === null) return [];
  const { from, to } = visibleExtent(axis, view, along);
  const gaps = gapsBetween(axis.rows, placeAtTime(axis.rows, from), placeAtTime(axis.rows, to));
  const { factor, unit } = scaleFor(axis.unit, Math.max(Math.abs(from), Math.abs(to)));
  const texts = gaps
    .slice(0, MAX_NAMED)
    .map((gap) => `${formatRange(gap.from * factor, gap.to * factor).join(' to ')} ${unit}`);
  const more = gaps.length > MAX_NAMED ? [`${gaps.length - MAX_NAMED} more`] : [];
  return gaps.length === 0 ? [] : [`not recorded: ${[...texts, ...more].join(', ')}`];
}

function extentText(axis: DisplayAxis, view: Parameters<typeof visibleExtent>[1], along: 'x' | 'y'): string {
  const { from, to } = visibleExtent(axis, view, along);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const { factor } = scaleFor(axis.unit, largest);
  return `${axisTitle(axis, largest)} ${formatRange(from * factor, to * factor).join(' to ')}`;
}
