import { readRows } from '../../io/read-rows.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import { imageAt, type NdtiffScene } from './arrange.js';
import type { NdtiffFiles } from './files.js';
import { areLines } from './metadata.js';

/** Reads a plane of a scene. An image that was not recorded is zeros. */
export function readPlane(
  files: NdtiffFiles,
  scene: NdtiffScene,
  { channel, t, z }: { channel: number; t: number; z: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const { samples, sampleType } = scene.form;
  const [page, sample] = [Math.floor(channel / samples), channel % samples];
  const read = (time: number, part: PlaneTarget) => {
    const entry = imageAt(scene, { channel: page, t: time, z });
    if (!entry) return putZeros(part, sampleType);
    // Pixels follow each other without compression, low byte first.
    const offset = entry.pixelOffset + sample * storedBytes(sampleType);
    readRows(files.open(entry), { offset, sampleType, littleEndian: true, interleaved: samples }, part, signal);
  };
  if (!areLines(scene)) read(t, target);
  else for (let line = 0; line < scene.T.length; line++) read(line, new RowsTarget(target, line, 1));
}
