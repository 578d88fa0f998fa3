/** Reads one plane: finds the frames that it is made of and has them copied into the target. */

import { decodeFailed } from '../../base/errors.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import type { FrameReader } from './frame-reader.js';
import type { FrameLayout } from './layout.js';
import { type FramePlan, frameAt } from './plan.js';

export interface PlaneSource {
  reader: FrameReader;
  plan: FramePlan;
  layout: FrameLayout;
  /** Interleaved component of each channel. */
  components: readonly number[];
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function readPlane(
  source: PlaneSource,
  { channel, ...plane }: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  return readChannels(source, plane, { channels: [channel], targets: [target] }, signal);
}

/** Reads channels of one plane; those of a frame in one pass. @throws AcqError `decode_failed`, `unsupported_format` */
export async function readChannels(
  { reader, plan, layout, components }: PlaneSource,
  { scene, t, z }: Omit<PlaneAddress, 'channel'>,
  { channels, targets }: { channels: readonly number[]; targets: readonly PlaneTarget[] },
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const planned = layout.scenes[scene];
  if (!planned) throw decodeFailed(`there is no scene ${scene}`);
  const picks = channels.map((channel, i) => {
    const component = components[channel];
    if (component === undefined) throw decodeFailed(`scene ${scene} has no channel ${channel}`);
    return { component, target: targets[i]! };
  });
  const position = layout.scenes.length > 1 ? `position ${planned.position + 1}, ` : '';
  const frameOf = (T: number) => frameAt(plan, { S: planned.position, T, Z: z });
  if (layout.lines) {
    const where = `the line scan at ${position}depth ${z + 1}`;
    await reader.readLines(where, frameOf, picks, signal);
    return;
  }
  const frame = frameOf(t);
  const where = () => `the plane at ${position}time ${t + 1}, depth ${z + 1} (frame ${frame})`;
  await reader.read({ where, frame, transposed: layout.transposed }, picks, signal);
}
