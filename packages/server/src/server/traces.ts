/** Runs requests for traces: along the rows of one plane, or along the planes of a channel. */

import { countAlong, type Regions, toColumnRanges, toRegions } from '@acquisition-store/client/answers/traces.js';
import { lineTraces, PlaneTraces, type TraceOptions } from '@acquisition-store/readers/derive/analysis/traces.js';
import type { FastifyReply } from 'fastify';
import type { PlaneAddress } from '../sessions/types.js';
import type { Compute } from './compute.js';
import type { AppDependencies } from './dependencies.js';
import { clientSignal, holdUntilSent, pinPlane, untilStopped } from './request-life.js';

export interface TracesResult {
  regions: number;
  /** `regions` rows. */
  values: Float32Array<ArrayBuffer>;
}

export async function traceLines(
  deps: AppDependencies,
  address: PlaneAddress,
  { regions, ...options }: TraceOptions & { regions: Regions },
  reply: FastifyReply,
  compute: Compute,
): Promise<TracesResult> {
  const data = await pinPlane(deps, address, 'served', reply);
  const ranges = toColumnRanges(regions, data);
  await holdUntilSent(deps, reply, valueBytes(ranges.length, data.rows, options));
  return {
    regions: ranges.length,
    values: await compute(address.sessionId, clientSignal(reply, deps.stopping), lineTraces(data, ranges, options)),
  };
}

/** Decodes one plane after the other, so that memory for one of them is enough. */
export async function tracePlanes(
  deps: AppDependencies,
  address: PlaneAddress,
  { regions, along, ...options }: TraceOptions & { regions: Regions; along: 'T' | 'Z' },
  reply: FastifyReply,
  compute: Compute,
): Promise<TracesResult> {
  const { sessions, stopping } = deps;
  const info = sessions.acquisition(address.sessionId);
  const count = countAlong(info, along);
  const windows = toRegions(regions, info.plane);
  await holdUntilSent(deps, reply, valueBytes(windows.length, count, options));
  const traces = new PlaneTraces(windows, count, options);
  const signal = clientSignal(reply, stopping);
  for (let i = 0; i < count; i++) {
    const place = along === 'T' ? { t: i } : { z: i };
    const pinned = await untilStopped(stopping, sessions.read({ ...address, ...place }, 'served', signal));
    try {
      await compute(address.sessionId, signal, traces.add(pinned.data));
    } finally {
      pinned.release();
    }
  }
  return { regions: windows.length, values: traces.values };
}

function valueBytes(regions: number, positions: number, { every }: TraceOptions): number {
  return Float32Array.BYTES_PER_ELEMENT * regions * Math.ceil(positions / every);
}
