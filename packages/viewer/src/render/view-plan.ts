import type { Shape } from '../model/geometry.ts';
import { displaySize, type Layout, type Rect } from '../model/geometry.ts';
import { type AxisPlan, type AxisView, planAxis, samplesPerPixel } from './axis-plan.ts';
import { chooseLevel, type Level } from './levels.ts';
import { leastPerPixel, placeRows, planRows } from './placed-rows.ts';
import type { TextureArea } from './types.ts';

/** Plan of a picture of a plane: the level to read and the cells of its two axes. */
export interface ViewPlan {
  readonly level: number;
  readonly rows: AxisPlan;
  readonly columns: AxisPlan;
  /** True when a cell has more than one sample. */
  readonly minified: boolean;
  /** True when rows run to the right. */
  readonly transposed: boolean;
  /** Pictures of a plane with equal keys have equal cells. */
  readonly key: string;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly view: Rect;
  readonly orientation: Layout;
  /** True during a movement, when coarser blocks are good enough. */
  readonly rough?: boolean;
}

/** What is drawn: samples or cells of a plane, or of a part of it. */
export interface Drawn {
  readonly shape: Shape;
  readonly levels: readonly Level[];
  readonly part: TextureArea | undefined;
  /** True when the finest level has cells of several samples. */
  readonly overview: boolean;
}

export function planView({ shape, levels, part, overview }: Drawn, picture: Picture): ViewPlan {
  const { view, orientation } = picture;
  const { transposed, upward, rows: lying } = orientation;
  const display = displaySize(part?.plane ?? shape, orientation);
  const across: AxisView = {
    samples: display.width,
    start: view.x,
    length: view.width,
    pixels: picture.width,
    flipped: false,
  };
  const down: AxisView = {
    samples: display.height,
    start: upward ? display.height - view.y - view.height : view.y,
    length: view.height,
    pixels: picture.height,
    flipped: upward,
  };
  const [wholeRows, wholeColumns] = transposed ? [across, down] : [down, across];
  const rowView = part ? viewOfPart(wholeRows, part.rows, shape[0]) : wholeRows;
  const columnView = part ? viewOfPart(wholeColumns, part.columns, shape[1]) : wholeColumns;
  const placed = lying ? placeRows(lying, wholeRows, part?.rows ?? [0, shape[0]], shape[0]) : null;
  const steps = [placed ? leastPerPixel(placed) : samplesPerPixel(rowView), samplesPerPixel(columnView)] as const;
  const level = chooseLevel(levels, ...steps, picture.rough ? 1 : 0.5);
  const factors = levels[level]!;
  return {
    level,
    rows: placed ? planRows(placed, factors.rows) : planAxis(rowView, factors.rows),
    columns: planAxis(columnView, factors.columns),
    minified: overview || samplesPerPixel(rowView) > 1 || steps[1] > 1,
    transposed,
    key: [
      level,
      lying?.id ?? 0,
      ...[rowView, columnView].map(({ start, length, pixels }) => `${start} ${length} ${pixels}`),
    ].join(' '),
  };
}

/** Returns the view of an axis of a part that has `samples` entries. */
function viewOfPart(view: AxisView, [first, end]: TextureArea['rows'], samples: number): AxisView {
  const scale = samples / (end - first);
  return { ...view, samples, start: (view.start - first) * scale, length: view.length * scale };
}

/** Returns the cell of each pixel, from left to right and from top to bottom. */
export function pixelMaps(plan: ViewPlan): [AxisPlan['map'], AxisPlan['map']] {
  return plan.transposed ? [plan.rows.map, plan.columns.map] : [plan.columns.map, plan.rows.map];
}

/** Yields parts of a picture of at most `maxSize` pixels on each side, with the part of the view that each shows. */
export function* splitPicture({ width, height, view, orientation }: Picture, maxSize: number) {
  for (let y = 0; y < height; y += maxSize) {
    for (let x = 0; x < width; x += maxSize) {
      const part = { width: Math.min(maxSize, width - x), height: Math.min(maxSize, height - y) };
      const scaled = (value: number, size: number, whole: number) => (value / whole) * size;
      const partView: Rect = {
        x: view.x + scaled(x, view.width, width),
        y: view.y + scaled(y, view.height, height),
        width: scaled(part.width, view.width, width),
        height: scaled(part.height, view.height, height),
      };
      yield { x, y, ...part, view: partView, orientation };
    }
  }
}
