/** A cross-section through a stack as an image of its own, in the colors and the contrast of the plane. */

import { signal } from '@preact/signals';
import type { Along } from '../analysis/profile.ts';
import type { Pane } from '../model/document.ts';
import type { MeasuredAxis } from '../model/measured-axis.ts';
import { NOT_ORTHOGONAL } from '../model/orthogonal.ts';
import { SINGULARS } from '../stack/place.ts';
import type { ThirdAxis } from './third-axis.ts';

/** Below the plane the third axis runs down, at its right it runs to the right. */
export type Side = 'below' | 'right';

export interface CrossSectionShape {
  readonly side: Side;
  readonly along: Along;
  readonly third: ThirdAxis;
  /** Extent of a row divided by the width of a sample of the plane, and height of such a sample divided by its width. */
  readonly depth: number;
  readonly fit: number;
  /** Measured times of the rows; null for sections, and where there are none. */
  readonly times: MeasuredAxis | null;
}

/** Returns the axis of the plane that a cross-section at a side runs along: the one that it shares with the plane on screen. */
export function alongOf(side: Side, { transposed }: { readonly transposed: boolean }): Along {
  return (side === 'below') === transposed ? 'row' : 'column';
}

/** Returns a pane without samples: its rows are those of the third axis. */
export function sectionPane(source: Pane, { side, along, third, depth, fit, times }: CrossSectionShape): Pane {
  const inPlane = source.plane.axes[along === 'row' ? 0 : 1]!;
  const length = source.shape[along === 'row' ? 0 : 1];
  const { dim, rows, unit, step, start } = third;
  const name = SINGULARS[dim];
  const label = unit === 'Pixels' ? name : dim === 'Z' ? 'z' : undefined;
  const axes = [
    { name: dim, arrayDimension: 0, size: rows, step, unit, ...(label === undefined ? {} : { label }) },
    { ...inPlane, arrayDimension: 1, label: inPlane.label ?? (along === 'row' ? 'y' : 'x') },
  ];
  return {
    ...source,
    plane: { ...source.plane, shape: [rows, length], axes } as Pane['plane'],
    shape: [rows, length],
    channels: source.channels.map((channel) => ({
      ...channel,
      data: signal(null),
      far: signal(null),
      coming: signal(null),
      slab: signal(null),
      load: signal({ state: 'ready' } as const),
    })),
    orientation: signal({
      transposed: side === 'right',
      upward: side === 'right' && source.orientation.peek().upward,
    }),
    views: signal(new Map()),
    linked: signal(true),
    composite: signal(true),
    scaleBar: signal(false),
    smoothing: signal({ kind: 'none', sigma: 1 } as const),
    cursor: signal(null),
    marks: signal([]),
    selectedMark: signal(null),
    rowTimes: signal(times),
    rowStart: start,
    sampleRatio: side === 'below' ? depth : depth / fit,
    orthogonal: signal({ ...NOT_ORTHOGONAL, shown: true }),
    cross: signal(null),
  };
}
