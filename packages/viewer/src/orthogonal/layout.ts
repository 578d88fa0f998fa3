/** Where the three pictures lie: the plane, a cross-section at its right and one below, all to one scale. */
import type { Rect, Size } from '../model/geometry.ts';

/** Space around the images in CSS pixels: axes with labels, and those with ticks alone. */
export interface Margins {
  readonly caption: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly ticks: number;
  readonly gap: number;
}

export interface Proportions {
  /** Samples of the plane on screen. */
  readonly across: number;
  readonly down: number;
  /** Height of a sample of the plane divided by its width. */
  readonly fit: number;
  /** Rows of the cross-sections. */
  readonly rows: number;
  /** Extent of a row along the third axis divided by the width of a sample of the plane. */
  readonly depth: number;
}

/** Boxes of the pictures with their axes, CSS pixels. */
export interface PicturesLayout {
  readonly plane: Rect;
  readonly right: Rect;
  readonly below: Rect;
  readonly whole: Size;
  /** CSS pixels for the width of a sample. */
  readonly scale: number;
}

/** Browsers round boxes to 1/64 pixel; the axis that a cross-section shares with the plane decides its scale. CSS pixels. */
const SLACK = 0.1;
/** Smallest width of a sample times the longer side: smaller pictures scroll. */
const MIN_SIDE = 80;

export function placePictures(room: Size, shape: Proportions, margins: Margins): PicturesLayout {
  const { across, down, fit, rows, depth } = shape;
  const { caption, left, right, top, bottom, ticks, gap } = margins;
  const around = {
    width: left + right + gap + ticks + right + SLACK,
    height: caption + top + ticks + caption + top + bottom + SLACK,
  };
  const height = down * fit;
  const third = rows * depth;
  const scale = Math.max(
    Math.min((room.width - around.width) / (across + third), (room.height - around.height) / (height + third)),
    MIN_SIDE / Math.max(across, height),
  );
  const plane = {
    x: 0,
    y: 0,
    width: left + across * scale + right,
    height: caption + top + height * scale + ticks,
  };
  const beside = {
    x: plane.width + gap,
    y: 0,
    width: ticks + third * scale + SLACK + right,
    height: plane.height - ticks + bottom,
  };
  const under = { x: 0, y: plane.height, width: plane.width, height: caption + top + third * scale + SLACK + bottom };
  return {
    plane,
    right: beside,
    below: under,
    whole: {
      width: plane.width + gap + beside.width,
      height: Math.max(plane.height + under.height, beside.height),
    },
    scale,
  };
}

/** Share of the smaller side of the plane that time points take at least, and at most: time has no scale in µm. */
const TIME_SHARE = [0.25, 0.75] as const;

/**
 * Returns the extent of a row of the cross-sections divided by the width of a sample of the plane: to scale where both have a
 * length; without a step, a section is one sample high.
 */
export function depthOf(
  third: { readonly dim: 'T' | 'Z'; readonly rows: number; readonly unit: string; readonly step: number },
  across: { readonly unit: string; readonly step: number; readonly calibrated: boolean },
  plane: Size,
): number {
  if (third.dim === 'T') {
    const side = Math.min(plane.width, plane.height);
    return Math.min(Math.max(third.rows, TIME_SHARE[0] * side), TIME_SHARE[1] * side) / third.rows;
  }
  return isToScale(third, across) ? third.step / across.step : 1;
}

export function isToScale(
  third: { readonly unit: string },
  across: { readonly unit: string; readonly calibrated: boolean },
): boolean {
  return across.calibrated && across.unit === third.unit;
}
