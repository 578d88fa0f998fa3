/** What is said of the orthogonal views: titles of the pictures, notes, and the sample under the pointer. */
import type { CursorSample } from '../image/cursor-sample.ts';
import { planeAxes, sampleValue } from '../image/plane-axes.ts';
import { formatAxisValue } from '../image/readout.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import { formatNumber, formatSample } from '../model/number-text.ts';
import { axisPosition, documentAxis, placeLabel, SINGULARS } from '../stack/place.ts';
import { type CrossPane, crossSample, pointedSpot, type Spot } from './cross.ts';
import { type CrossSection, type Cut, placeAt, planeAt } from './cross-sections.ts';

const LETTERS = { T: 't', Z: 'z' } as const;

/** Returns the position of a sample on an axis of the plane: `26.00 µm`, or its number without calibration. */
function positionOn({ row, column }: ReturnType<typeof planeAxes>, along: 'row' | 'column', index: number): string {
  const axis = along === 'row' ? row : column;
  return axis.calibrated ? formatAxisValue(sampleValue(axis, index), axis) : formatNumber(index);
}

function letterOf(axes: ReturnType<typeof planeAxes>, along: 'row' | 'column'): string {
  return axes[along].quantity;
}

/** Returns `x z at y 26.0 µm`, with the slab. Reads signals. */
export function sectionTitle({ source, third }: Cut, { side, along, range }: CrossSection): string {
  const axes = planeAxes(source);
  const across = along === 'row' ? 'column' : 'row';
  const here = letterOf(axes, along);
  const letters = side === 'below' ? `${here} ${LETTERS[third.dim]}` : `${LETTERS[third.dim]} ${here}`;
  const place = `${letterOf(axes, across)} ${positionOn(axes, across, crossSample(source)[across])}`;
  const [first, end] = range.value;
  const noun = across === 'row' ? 'rows' : 'columns';
  const slab = end - first > 1 ? ` · maximum of ${formatNumber(end - first)} ${noun}` : '';
  return `${letters} at ${place}${slab}`;
}

/** Returns `x y at z 10.0 µm`. Reads signals. */
export function planeTitle({ source, document, stack, third }: Cut): string {
  const axes = planeAxes(source);
  const axis = documentAxis(document, third.dim);
  const place = axis.step === null ? `${SINGULARS[third.dim]} ` : `${LETTERS[third.dim]} `;
  return `${letterOf(axes, 'column')} ${letterOf(axes, 'row')} at ${place}${placeLabel(axis, stack.wanted.value[third.dim])}`;
}

/** Describes the sample under the pointer or the cross. Reads signals. */
export function orthogonalSample(
  cut: Cut,
  panes: readonly CrossPane[],
  sections: readonly CrossSection[],
): CursorSample {
  const { source, document, stack, third } = cut;
  const spot = pointedSpot(source, panes, stack, third);
  const { row, column } = planeAxes(source);
  const axis = documentAxis(document, third.dim);
  const depth = axisPosition(axis, spot.index);
  const calibrated = [
    row.calibrated ? `${row.quantity} ${formatAxisValue(sampleValue(row, spot.row), row)}` : '',
    column.calibrated ? `${column.quantity} ${formatAxisValue(sampleValue(column, spot.column), column)}` : '',
    depth && `${LETTERS[third.dim]} ${depth}`,
  ];
  const { quantity } = row;
  const index = `${SINGULARS[third.dim]} ${formatNumber(spot.index + 1)}`;
  return {
    row: spot.row,
    column: spot.column,
    position: `${quantity} ${formatNumber(spot.row)} · x ${formatNumber(spot.column)} · ${index}`,
    calibrated: calibrated.filter(Boolean).join(' · '),
    values: source.channels.map((channel) => {
      const value = valueAt(cut, sections, channel, spot);
      return { index: channel.index, name: channel.name, value: value === undefined ? null : formatSample(value) };
    }),
  };
}

/** Returns a sample that has been read as a part of a plane or of a cross-section. Reads signals. */
function valueAt(cut: Cut, sections: readonly CrossSection[], channel: ChannelView, spot: Spot): number | undefined {
  const { source, document, third } = cut;
  void cut.stack.cache.version.value;
  const place = placeAt(cut, spot.index);
  const plane = planeAt(cut, channel, place);
  if (plane !== undefined) return plane[spot.row * source.shape[1] + spot.column];
  const isShown = (document.info.value.selection?.[third.dim] ?? 0) === spot.index;
  const far = isShown ? channel.far.value?.sampleAt(spot.row, spot.column) : undefined;
  return far ?? sectionValue(sections, channel, spot, source);
}

/** A cross-section of a single row or column has samples; one of a slab their maximum. */
function sectionValue(sections: readonly CrossSection[], { index }: ChannelView, spot: Spot, source: Pane) {
  if (source.orthogonal.value.slab > 1) return undefined;
  for (const { along, lines, range } of sections) {
    void lines.version.value;
    const across = along === 'row' ? 'column' : 'row';
    if (range.value[0] !== spot[across]) continue;
    const value = lines.sampleAt(index, spot.index, spot[along]);
    if (value !== undefined) return value;
  }
  return undefined;
}
