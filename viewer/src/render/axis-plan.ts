/**
 * How one axis of a plane is cut into cells for a picture. Where a pixel covers less than one sample a cell is a sample;
 * else a cell is what one pixel shows. Every sample in view belongs to exactly one cell, and every such cell has a pixel
 * of its own: no sample is left out and none is counted twice.
 */
export interface AxisPlan {
  /** Begin of each cell, in blocks of `factor` samples, and the end of the last: cells + 1 numbers. */
  readonly bounds: Int32Array<ArrayBuffer>;
  readonly cells: number;
  /** For each pixel its cell, or -1 beside the plane. */
  readonly map: Int32Array<ArrayBuffer>;
}

export interface AxisView {
  /** Of the plane along this axis. */
  readonly samples: number;
  /** Part of the axis that fills the pixels; a fraction of a sample may be cut at both ends. */
  readonly start: number;
  readonly length: number;
  readonly pixels: number;
  /** The first pixel shows the end of the part. */
  readonly flipped: boolean;
}

/** Samples per pixel. */
export function stepOf({ length, pixels }: Pick<AxisView, 'length' | 'pixels'>): number {
  return length / pixels;
}

/** `factor`: samples per block of the level that is read; at most half a step, or 1. */
export function planAxis(view: AxisView, factor: number): AxisPlan {
  const plan = stepOf(view) > 1 ? minified(view, factor) : magnified(view);
  if (view.flipped) plan.map.reverse();
  return plan;
}

function magnified(view: AxisView): AxisPlan {
  const { samples, start, length, pixels } = view;
  // One sample more at both ends: the surroundings of what is at the edge of the picture.
  const first = clamp(Math.floor(start) - 1, 0, samples);
  const end = clamp(Math.ceil(start + length) + 1, first, samples);
  const step = stepOf(view);
  const map = Int32Array.from({ length: pixels }, (_, pixel) => {
    const sample = Math.floor(start + (pixel + 0.5) * step);
    return sample >= first && sample < end ? sample - first : -1;
  });
  return { bounds: Int32Array.from({ length: end - first + 1 }, (_, i) => first + i), cells: end - first, map };
}

/**
 * Cells lie on multiples of the step from the first sample, not of the view: when the view moves by whole pixels they
 * stay the same, and noise does not shimmer. The picture is off by half a pixel at most.
 */
function minified(view: AxisView, factor: number): AxisPlan {
  const { samples, start, pixels } = view;
  const step = stepOf(view);
  const blocks = Math.ceil(samples / factor);
  const boundary = (cell: number) => Math.min(blocks, Math.round((cell * step) / factor));
  let all = Math.ceil(samples / step - 1e-6);
  while (all > 1 && boundary(all - 1) >= blocks) all--;
  // A hair less: parts of one picture that begin halfway between cells round to the same side.
  const home = Math.round(start / step - 1e-6);
  const first = clamp(home - 1, 0, all);
  const end = clamp(home + pixels + 1, first, all);
  const map = Int32Array.from({ length: pixels }, (_, pixel) => {
    const cell = home + pixel;
    return cell >= first && cell < end ? cell - first : -1;
  });
  const bounds = Int32Array.from({ length: end - first + 1 }, (_, i) =>
    first + i === all ? blocks : boundary(first + i),
  );
  return { bounds, cells: end - first, map };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
