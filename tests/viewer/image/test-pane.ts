import type { Plane } from '../../../packages/client/src/contract/open.js';
import { BINARY } from '../../../packages/client/src/contract/values.js';
import { createPane, type Pane } from '../../../packages/viewer/src/model/document.ts';

export interface TestPlane {
  readonly shape: readonly [number, number];
  readonly y: readonly [step: number, unit: string, label?: string];
  readonly x: readonly [step: number, unit: string];
  readonly channels?: number;
}

/** A source pane without samples. */
export function testPane({ shape, y, x, channels = 1 }: TestPlane): Pane {
  const axis = (arrayDimension: number, name: string, [step, unit, label]: TestPlane['y']) => ({
    arrayDimension,
    name,
    size: shape[arrayDimension] as number,
    step,
    unit,
    ...(label === undefined ? {} : { label }),
  });
  const plane = {
    shape: [...shape],
    axes: [axis(0, 'Y', y), axis(1, 'X', x)],
    ...BINARY,
  } as Plane;
  return createPane('source', {
    plane,
    channels: Array.from({ length: channels }, (_, index) => ({
      index,
      name: `Channel ${index}`,
      byteLength: 4 * shape[0] * shape[1],
      dataUrl: `/data/${index}`,
    })),
  });
}
