import type { Acquisition, PlaneAddress } from '../model/acquisition.js';
import { Float32Target, type PlaneTarget } from '../model/samples/plane-target.js';
import { PlaneProjection, type ProjectionMethod } from '../model/samples/projection.js';

/** A projection of the planes `0` … `size − 1` along a dimension. */
export interface PlanProjection {
  along: 'T' | 'Z';
  method: ProjectionMethod;
  size: number;
}

/** Reads planes one after the other, and puts their projection into `target`. One plane is in memory at a time. */
export async function readProjection(
  acquisition: Acquisition,
  address: PlaneAddress,
  { along, method, size }: PlanProjection,
  target: PlaneTarget,
): Promise<void> {
  const { rows, columns } = target;
  const plane = new Float32Target(rows, columns);
  const projection = new PlaneProjection(method, rows * columns);
  for (let i = 0; i < size; i++) {
    // Readers leave out what is zero.
    plane.data.fill(0);
    await acquisition.readPlane({ ...address, ...(along === 'T' ? { t: i } : { z: i }) }, plane);
    projection.add(plane.data);
  }
  const piece = { samples: projection.result(), offset: 0, rowStride: columns, columnStride: 1 };
  target.put(piece, 0, 0, rows, columns);
}
