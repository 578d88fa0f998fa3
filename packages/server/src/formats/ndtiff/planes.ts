import type { ByteSource } from '../../io/byte-source.js';
import { toHostWords, viewAs } from '../../samples/host-words.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../samples/plane-target.js';
import { imageAt, type NdtiffScene } from './arrange.js';
import type { NdtiffFiles } from './files.js';
import { areLines } from './metadata.js';
import type { ImageEntry, PixelForm } from './parse.js';

/** Bytes of one read. */
const BAND_BYTES = 4 * 2 ** 20;

/** Reads a plane of a scene. An image that was not recorded is zeros. */
export function readPlane(
  files: NdtiffFiles,
  scene: NdtiffScene,
  { channel, t, z }: { channel: number; t: number; z: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const { samples } = scene.form;
  const [page, sample] = [Math.floor(channel / samples), channel % samples];
  const read = (time: number, part: PlaneTarget) => {
    const entry = imageAt(scene, { channel: page, t: time, z });
    if (entry) readImage(files.open(entry), entry, { ...scene.form, sample }, part, signal);
    else putZeros(part, scene.form.sampleType);
  };
  if (!areLines(scene)) read(t, target);
  else for (let line = 0; line < scene.T.length; line++) read(line, new RowsTarget(target, line, 1));
}

/** Reads one sample of the pixels of an image, which follow each other without compression, low byte first. */
function readImage(
  source: ByteSource,
  { pixelOffset, width, height }: ImageEntry,
  { sampleType, samples, sample }: PixelForm & { sample: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const bits = sampleType === 'uint16' ? 16 : 8;
  const rowBytes = (width * samples * bits) / 8;
  const rowsPerBand = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
  for (let row = 0; row < height; row += rowsPerBand) {
    signal?.throwIfAborted();
    const rows = Math.min(rowsPerBand, height - row);
    if (target.wants?.(row, rows) === false) continue;
    const bytes = source.read(pixelOffset + row * rowBytes, rows * rowBytes);
    const words = viewAs(toHostWords(bytes, bits, rows * width * samples, true), sampleType);
    const block = { samples: words, offset: sample, rowStride: width * samples, columnStride: samples };
    target.put(block, row, 0, rows, width);
  }
}
