/** Marks as rows of a table, for spreadsheets and programs. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { baselineWords, parseBaseline } from '../analysis/baseline.ts';
import { NOTE_TITLE } from '../export/csv.ts';
import { planeAxes } from '../image/plane-axes.ts';
import type { Mark, Pane } from '../model/document.ts';
import { isPath } from '../model/mark-kind.ts';
import type { MeansByMark } from './follow-means.ts';
import { areaUnit, markArea } from './mark-area.ts';
import { markColor } from './mark-colors.ts';
import { markSpan, pointPosition, SIDES, sideTitle } from './mark-positions.ts';
import { backgroundMark, kindName, lineWidth, markName, markNameOf, markPoints } from './marks.ts';
import { measureMark } from './summary.ts';

interface MarkColumn {
  readonly title: string;
  value(mark: Mark): string | number;
}

/** Returns the velocity of a line in µm/s; without calibration in pixels per line; null for other marks. */
export function markVelocity(mark: Mark, pane: Pane): number | null {
  if (!isPath(mark.kind)) return null;
  const { velocity, lines, pixels } = measureMark(mark, pane);
  if (velocity !== null) return velocity;
  return pane.lineScan && lines !== 0 ? pixels / lines : null;
}

export function velocityUnit(pane: Pane): string {
  const { row, column } = planeAxes(pane);
  return row.unit === 'seconds' && column.unit === 'micrometer' ? 'µm/s' : 'px/line';
}

/** Returns the length of a line in µm, otherwise in samples; null for other marks. */
export function markLength(mark: Mark, pane: Pane): number | null {
  return isPath(mark.kind) ? measureMark(mark, pane).length : null;
}

/** Unit of `markLength`. */
export function markLengthUnit(pane: Pane): string {
  const { row, column } = planeAxes(pane);
  return row.unit === 'micrometer' && column.unit === 'micrometer' ? 'µm' : 'px';
}

/** Returns in words what ΔF/F₀ of a table compares with. */
function baselineText(pane: Pane): string {
  const baseline = pane.baseline.peek();
  if (!pane.lineScan && parseBaseline(baseline)?.kind !== 'mark') return 'none';
  return baselineWords(baseline, 'line', 0, (id) => markNameOf(pane, id));
}

/** Returns the name of the region that is subtracted; null without. */
function backgroundName(pane: Pane): string | null {
  const background = backgroundMark(pane);
  return background && markName(background);
}

function columnsOf(pane: Pane, means: MeansByMark, byHand: string | null): MarkColumn[] {
  const number = (value: number | null | undefined) =>
    value === null || value === undefined || !Number.isFinite(value) ? '' : Number(value.toPrecision(9));
  const spans = SIDES.flatMap((side) => [
    { title: `${sideTitle(pane, side)} from`, value: (mark: Mark) => number(markSpan(mark, pane, side)[0]) },
    { title: `${sideTitle(pane, side)} to`, value: (mark: Mark) => number(markSpan(mark, pane, side)[1]) },
  ]);
  const speed = pane.lineScan
    ? [{ title: `velocity (${velocityUnit(pane)})`, value: (mark: Mark) => number(markVelocity(mark, pane)) }]
    : [{ title: `length (${markLengthUnit(pane)})`, value: (mark: Mark) => number(markLength(mark, pane)) }];
  const f0 = baselineText(pane);
  const background = backgroundName(pane);
  const less = background === null ? '' : ` − ${background}`;
  const loaded = pane.channels.filter(({ data }) => data.value !== null);
  const intensities = loaded.flatMap((channel) => {
    const of = ({ id }: Mark) => means.get(id)?.find((entry) => entry.channel === channel);
    return [
      { title: `${channel.name} mean${less}`, value: (mark: Mark) => number(of(mark)?.mean) },
      { title: `${channel.name} ΔF/F₀ (F₀: ${f0})`, value: (mark: Mark) => number(of(mark)?.dff) },
    ];
  });
  return [
    { title: 'id', value: ({ id }) => id },
    { title: 'name', value: markName },
    { title: 'kind', value: ({ kind }) => kindName(kind).toLowerCase() },
    ...spans,
    ...speed,
    { title: 'width (px)', value: (mark) => (isPath(mark.kind) ? lineWidth(mark, pane) : '') },
    { title: `area (${areaUnit(pane)})`, value: (mark) => number(markArea(mark, pane)) },
    ...intensities,
    { title: 'color', value: markColor },
    { title: 'comment', value: ({ comment = '' }) => comment },
    ...(byHand === null ? [] : [{ title: NOTE_TITLE, value: () => byHand }]),
  ];
}

/**
 * Returns the marks as text with a title line; `separator` is a comma for a file, a tab for the clipboard. `byHand` says
 * which steps were entered by hand.
 */
export function marksText(
  marks: readonly Mark[],
  pane: Pane,
  means: MeansByMark,
  separator: ',' | '\t',
  byHand: string | null,
): string {
  const columns = columnsOf(pane, means, byHand);
  const cell = (value: string | number) => (typeof value === 'number' ? String(value) : quoted(value, separator));
  const lines = [
    columns.map(({ title }) => cell(title)),
    ...marks.map((mark) => columns.map(({ value }) => cell(value(mark)))),
  ];
  return `${lines.map((line) => line.join(separator)).join('\n')}\n`;
}

/** Quotes text where needed, and prevents that a spreadsheet runs it as a formula. */
function quoted(text: string, separator: ',' | '\t'): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return safe.includes(separator) || /["\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the marks with their points in samples and in the units of the axes. */
export function marksJson(
  marks: readonly Mark[],
  pane: Pane,
  means: MeansByMark,
  { source }: Pick<OpenResponse, 'source'>,
  byHand: string | null,
): string {
  const axes = planeAxes(pane);
  const content = {
    file: source.path,
    image: pane.kind,
    axes: SIDES.map((side) => ({ title: sideTitle(pane, side), step: axes[side].step, unit: axes[side].unit })),
    calibration: byHand ?? 'from the file',
    baseline: baselineText(pane),
    background: backgroundName(pane) ?? 'none',
    marks: marks.map((mark) => ({
      id: mark.id,
      kind: mark.kind,
      name: markName(mark),
      color: markColor(mark),
      comment: mark.comment ?? '',
      ...(mark.plane ? { plane: mark.plane } : {}),
      ...(isPath(mark.kind) ? { width: lineWidth(mark, pane) } : {}),
      points: markPoints(mark).map((point) => ({
        ...point,
        ...Object.fromEntries(
          SIDES.map((side) => [sideTitle(pane, side), pointPosition(axes[side], mark, point, side)]),
        ),
      })),
      ...(pane.lineScan
        ? { velocity: markVelocity(mark, pane), velocityUnit: velocityUnit(pane) }
        : { length: markLength(mark, pane), lengthUnit: markLengthUnit(pane) }),
      channels: (means.get(mark.id) ?? []).map(({ channel, mean, dff }) => ({ name: channel.name, mean, dff })),
    })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
