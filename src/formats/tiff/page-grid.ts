import type { PlaneAddress } from '../../acquisition.js';

/** One axis of a stack of pages. Several axes may be of one kind; the first listed is then the faster one. */
export interface GridAxis {
  kind: 'S' | 'C' | 'T' | 'Z';
  size: number;
}

/** Index of the page of a plane; `axes` in the order of the pages, fastest first. */
export function pageInGrid(axes: readonly GridAxis[], address: PlaneAddress): number {
  const rest = { S: address.scene, C: address.channel, T: address.t, Z: address.z };
  let stride = 1;
  let page = 0;
  for (const { kind, size } of axes) {
    page += (rest[kind] % size) * stride;
    rest[kind] = Math.floor(rest[kind] / size);
    stride *= size;
  }
  return page;
}

/** Product of the sizes of a kind, of all axes by default. */
export function gridSize(axes: readonly GridAxis[], kind?: GridAxis['kind']): number {
  return axes.reduce((product, axis) => (kind === undefined || axis.kind === kind ? product * axis.size : product), 1);
}
