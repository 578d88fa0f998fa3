/** One plane as a PNG image (PNG specification, third edition): 8 and 16-bit samples exactly, others in a window. */

import { platform } from '../../base/platform.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { swapBytes } from '../../model/samples/swap.js';
import type { SampleArray } from '../../model/samples/types.js';
import { OutputError } from './output-error.js';
import { describePlane } from './plane-text.js';
import { imageHeader, PNG_SIGNATURE, physicalSize, pngChunk, pngEnd, pngText } from './png-chunks.js';
import type { ByteSink, CutJob, FormatOptions } from './types.js';

/** Bytes of rows that are compressed at a time. */
export const BATCH_BYTES = 2 ** 20;
const MAX_UINT31 = 2 ** 31 - 1;

type Bits = 8 | 16;

/** Compresses rows to the parts of one zlib stream. */
export type DeflateRows = (rows: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** @throws OutputError `not_representable` for samples that need a window */
export function checkPng(job: CutJob): void {
  chooseBits(job.cut.info.scenes[job.cut.first.scene]!, job.options, job.name);
}

/** Writes the first plane. */
export async function writePngTo(job: CutJob, sink: ByteSink, deflate: DeflateRows): Promise<void> {
  const { cut, options } = job;
  const scene = cut.info.scenes[cut.first.scene]!;
  const bits = chooseBits(scene, options, job.name);
  sink.write(PNG_SIGNATURE);
  sink.write(imageHeader(scene.sizes.X, scene.sizes.Y, bits, 'gray'));
  const size = pixelSize(scene);
  if (size) sink.write(physicalSize(...size));
  sink.write(pngText('Description', (await describePlane(job)).join('\n')));
  const rows = packRows(toGray(await cut.read(cut.first), options.window), scene.sizes, bits);
  const { crc32 } = platform().inflate;
  for await (const part of deflate(rows)) sink.write(pngChunk('IDAT', part, crc32));
  sink.write(pngEnd());
  job.onPlane();
}

function chooseBits({ sampleType }: SceneInfo, { window }: FormatOptions, name: string): Bits {
  if (window || sampleType === 'uint8') return 8;
  if (sampleType === 'uint16') return 16;
  const text = `a PNG image cannot hold ${sampleType} samples. Say which samples become black and white, for example --window 0:4095, or export to ome-tiff or npy.`;
  throw new OutputError('not_representable', name, text);
}

/** Returns the samples as they are, or mapped to 0 … 255. */
function toGray(samples: SampleArray, window: FormatOptions['window']): SampleArray {
  if (!window) return samples;
  const { start, end } = window;
  // Rounds and clamps; NaN becomes 0.
  return Uint8ClampedArray.from(
    samples as Float32Array,
    (value) => ((Number(value) - start) / (end - start)) * 255,
  ) as unknown as Uint8Array;
}

/** Yields rows as PNG has them: a byte for the filter, none here, then big-endian samples. */
function* packRows(samples: SampleArray, { Y, X }: { Y: number; X: number }, bits: Bits): Generator<Uint8Array> {
  const sampleBytes = (X * bits) / 8;
  const rowBytes = 1 + sampleBytes;
  const rowsAtOnce = Math.max(1, Math.floor(BATCH_BYTES / rowBytes));
  for (let first = 0; first < Y; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, Y - first);
    // A copy, whose samples are aligned until they are put behind the bytes of the filters.
    const part = samples.slice(first * X, (first + rows) * X);
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    swapBytes(bytes, bits / 8);
    const packed = new Uint8Array(rows * rowBytes);
    for (let r = 0; r < rows; r++) {
      packed.set(bytes.subarray(r * sampleBytes, (r + 1) * sampleBytes), r * rowBytes + 1);
    }
    yield packed;
  }
}

/** Returns pixels per meter, when both axes are lengths. */
function pixelSize({ steps: { Y, X } }: SceneInfo): [number, number] | undefined {
  if (Y.unit !== 'micrometer' || X.unit !== 'micrometer') return undefined;
  const [x, y] = [X, Y].map(({ step }) => Math.round(1e6 / step)) as [number, number];
  return [x, y].every((count) => count >= 1 && count <= MAX_UINT31) ? [x, y] : undefined;
}
