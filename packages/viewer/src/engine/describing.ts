/** What files say beside their planes. Loaded when it is first asked for. */
import type { MeasuredValues, PlaneColumns } from '@acquisition-store/client';
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import { asServed } from '@acquisition-store/readers/model/calibration.js';
import {
  countPlanes,
  laterAxes,
  readPlaneTable,
  withLaterAxes,
} from '@acquisition-store/readers/model/metadata/plane-table.js';
import { MetadataList } from '@acquisition-store/readers/model/metadata-list.js';
import { loadFullParser } from '@acquisition-store/readers/platform-page/open-files.js';
import type { OpenSession } from './session-planes.ts';

export async function coordinatesOf({ source, info }: OpenSession, signal: AbortSignal): Promise<MeasuredValues> {
  const { acquisition, plan, reads } = source;
  const scene = asServed(acquisition.info.scenes[plan.scene]!, info.header);
  const later = laterAxes(scene);
  await loadFullParser();
  signal.throwIfAborted();
  const part = { from: 0, count: countPlanes(scene) };
  const whole =
    later.length === 0
      ? scene
      : withLaterAxes(scene, later, await reads.add(() => readPlaneTable(acquisition, plan.scene, part), signal));
  const values = Object.entries(whole.coordinates ?? {}).map(([axis, measured]) => [axis, measured.values.slice()]);
  return Object.fromEntries(values) as MeasuredValues;
}

export async function planeTableOf({ source }: OpenSession, signal: AbortSignal): Promise<PlaneColumns> {
  const { acquisition, plan, reads } = source;
  await loadFullParser();
  signal.throwIfAborted();
  const count = countPlanes(acquisition.info.scenes[plan.scene]!);
  return reads.add(() => readPlaneTable(acquisition, plan.scene, { from: 0, count }), signal);
}

export async function metadataOf({ source }: OpenSession, signal: AbortSignal): Promise<VendorMetadata> {
  const { acquisition, plan, reads } = source;
  await loadFullParser();
  signal.throwIfAborted();
  const list = new MetadataList();
  await reads.add(async () => acquisition.listMetadata?.(plan.scene, list), signal);
  return list.result();
}
