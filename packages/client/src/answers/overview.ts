import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import { ANALYSIS_LIMITS } from '../contract/values.js';

const DEFAULT_CELLS = 1024;

/**
 * Returns the grid over a part of a plane that a request asks for.
 * @throws AcqError `region_out_of_range` for too many cells
 */
export function overviewGrid(
  asked: { height?: number | undefined; width?: number | undefined },
  window: Window,
): OverviewGrid {
  const height = Math.min(asked.height ?? DEFAULT_CELLS, window.endRow - window.firstRow);
  const width = Math.min(asked.width ?? DEFAULT_CELLS, window.endColumn - window.firstColumn);
  if (height * width <= ANALYSIS_LIMITS.overviewCells) return { window, height, width };
  throw new AcqError(
    'region_out_of_range',
    `${grouped(height)} × ${grouped(width)} cells are too many; height × width is at most ` +
      `${grouped(ANALYSIS_LIMITS.overviewCells)}.`,
  );
}
