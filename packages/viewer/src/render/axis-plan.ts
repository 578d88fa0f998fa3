/**
 * Division of one axis of a plane into cells for a picture. When a pixel covers less than one sample, a cell is a
 * sample; otherwise it is what one pixel shows. Every visible sample belongs to exactly one cell, and every such cell
 * has its own pixel, so no sample is skipped or counted twice.
 */
export interface AxisPlan {
  /** Start of each cell in blocks of `factor` samples, and the end of the last one: cells + 1 numbers. */
  readonly bounds: Int32Array<ArrayBuffer>;
  readonly cells: number;
  /** Cell of each pixel; -1 outside of the plane. */
  readonly map: Int32Array<ArrayBuffer>;
}

export interface AxisView {
  /** Number of samples along this axis. */
  readonly samples: number;
  /** Part of the axis that fills the pixels. It may start and end within a sample. */
  readonly start: number;
  readonly length: number;
  readonly pixels: number;
  /** True when the first pixel shows the end of the part. */
  readonly flipped: boolean;
}

/** Returns samples per pixel. */
export function samplesPerPixel({ length, pixels }: Pick<AxisView, 'length' | 'pixels'>): number {
  return length / pixels;
}

/** Plans an axis. `factor` is the number of samples per block of the level: at most half a step, or 1. */
export function planAxis(view: AxisView, factor: number): AxisPlan {
  const plan = samplesPerPixel(view) > 1 ? minified(view, factor) : magnified(view);
  if (view.flipped) plan.map.reverse();
  return plan;
}

function magnified(view: AxisView): AxisPlan {
  const { samples, start, length, pixels } = view;
  // Include one more sample at both ends: the neighbors of the cells at the edge of the picture.
  const first = clamp(Math.floor(start) - 1, 0, samples);
  const end = clamp(Math.ceil(start + length) + 1, first, samples);
  const step = samplesPerPixel(view);
  const map = Int32Array.from({ length: pixels }, (_, pixel) => {
    const sample = Math.floor(start + (pixel + 0.5) * step);
    return sample >= first && sample < end ? sample - first : -1;
  });
  return { bounds: Int32Array.from({ length: end - first + 1 }, (_, i) => first + i), cells: end - first, map };
}

/**
 * Plans cells of several samples. They start at multiples of the step from the first sample, so that they stay the same
 * and noise does not shimmer while the view moves. The picture is shifted by half a pixel at most.
 */
function minified(view: AxisView, factor: number): AxisPlan {
  const { samples, start, pixels } = view;
  const step = samplesPerPixel(view);
  const blocks = Math.ceil(samples / factor);
  const boundary = (cell: number) => Math.min(blocks, Math.round((cell * step) / factor));
  let all = Math.ceil(samples / step - 1e-6);
  while (all > 1 && boundary(all - 1) >= blocks) all--;
  // Subtract a little, so that parts of one picture that start halfway between cells round to the same side.
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
