/** Parts of a plane that can be saved: all of it, what is on screen, or the rows and columns of a region. */
import { type PlaneRegion, regionBetween } from '../analysis/region.ts';
import { cardKeys, cardView } from '../image/pane-state.ts';
import { layoutOf } from '../image/plane-axes.ts';
import { markBounds } from '../measure/mark-region.ts';
import { markName } from '../measure/marks.ts';
import type { Pane, Shape } from '../model/document.ts';
import { displayToPlane } from '../model/geometry.ts';
import { isArea } from '../model/mark-kind.ts';
import type { Samples } from '../model/samples.ts';

export interface SavedRegion {
  /** `whole`, `visible` or `mark …`. */
  readonly id: string;
  readonly label: string;
  readonly region: PlaneRegion;
}

/** Returns the parts of a pane; the visible one only when it is not the whole plane. */
export function planeParts(pane: Pane): SavedRegion[] {
  const [rows, columns] = pane.shape;
  const whole: SavedRegion = { id: 'whole', label: 'Whole plane', region: { rows: [0, rows], columns: [0, columns] } };
  const visible = visibleRegion(pane);
  const regions = pane.marks.value.filter(({ kind }) => isArea(kind));
  return [
    whole,
    ...(visible === null || isWhole(visible, pane.shape)
      ? []
      : [{ id: 'visible', label: 'Visible part', region: visible }]),
    ...regions.map((mark) => ({
      id: `mark ${mark.id}`,
      label: mark.kind === 'region' ? markName(mark) : `Rows and columns of ${markName(mark)}`,
      region: markBounds(mark, pane.shape),
    })),
  ];
}

function isWhole({ rows, columns }: PlaneRegion, shape: Shape): boolean {
  return rows[0] === 0 && columns[0] === 0 && rows[1] === shape[0] && columns[1] === shape[1];
}

/** Returns all samples of which the first card shows a part; null while it is not on screen. */
function visibleRegion(pane: Pane): PlaneRegion | null {
  const [card] = cardKeys(pane);
  const view = card === undefined ? null : cardView(pane, card);
  if (view === null) return null;
  const layout = layoutOf(pane);
  const a = displayToPlane(view, pane.shape, layout);
  const b = displayToPlane({ x: view.x + view.width, y: view.y + view.height }, pane.shape, layout);
  return regionBetween(a, b, pane.shape);
}

/** Returns the samples of a part, in their type; those of the whole plane are not copied. */
export function cropSamples(data: Samples, shape: Shape, region: PlaneRegion): Samples {
  if (isWhole(region, shape)) return data;
  const { rows, columns } = region;
  const width = columns[1] - columns[0];
  const part = data.slice(0, (rows[1] - rows[0]) * width);
  for (let row = rows[0]; row < rows[1]; row++) {
    const from = row * shape[1] + columns[0];
    part.set(data.subarray(from, from + width), (row - rows[0]) * width);
  }
  return part;
}

/** Returns a word for file names: empty for the whole plane, `lines1000-1249.pixels6-20` for a part of a line scan. */
export function partName({ region }: SavedRegion, { shape, lineScan }: Pick<Pane, 'shape' | 'lineScan'>): string {
  if (isWhole(region, shape)) return '';
  const [down, across] = lineScan ? ['lines', 'pixels'] : ['rows', 'columns'];
  const span = ([from, to]: readonly [number, number]) => `${from}-${to - 1}`;
  return `${down}${span(region.rows)}.${across}${span(region.columns)}.`;
}
