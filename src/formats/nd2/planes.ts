/** Reads one plane: finds the frames that it is made of and has them copied into the target. */
import type { Acquisition, PlaneAddress } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import type { FrameReader } from './frame-reader.js';
import type { Layout } from './layout.js';
import { type FramePlan, frameAt } from './plan.js';

export interface PlaneSource {
  /** Name of the file, for messages. */
  name: string;
  reader: FrameReader;
  plan: FramePlan;
  layout: Layout;
  /** Interleaved component of each channel. */
  components: readonly number[];
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export async function readPlane(
  { name, reader, plan, layout, components }: PlaneSource,
  { scene, channel, t, z }: PlaneAddress,
  target: Parameters<Acquisition['readPlane']>[1],
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const planned = layout.scenes[scene];
  const component = components[channel];
  if (!planned || component === undefined) throw decodeFailed(`${name}: scene ${scene} has no channel ${channel}`);
  const position = layout.scenes.length > 1 ? `position ${planned.position + 1}, ` : '';
  const frameOf = (T: number) => frameAt(plan, { S: planned.position, T, Z: z });
  if (layout.lines) {
    const where = `${name}: the line scan at ${position}depth ${z + 1}`;
    await reader.readLines(where, frameOf, component, target, signal);
    return;
  }
  const frame = frameOf(t);
  const where = () => `${name}: the plane at ${position}time ${t + 1}, depth ${z + 1} (frame ${frame})`;
  await reader.read({ where, frame, component, transposed: layout.transposed }, target, signal);
}
