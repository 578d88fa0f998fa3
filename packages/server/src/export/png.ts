/** One plane as a PNG image (PNG specification, third edition): 8 and 16-bit samples exactly, others in a window. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate } from 'node:zlib';
import type { SceneInfo } from '../acquisition.js';
import type { SampleArray } from '../samples/types.js';
import { OutputError } from './output-error.js';
import { describePlane } from './plane-text.js';
import type { FileSink } from './sink.js';
import { finishStaged, StagedFile } from './staged.js';
import type { FormatOptions, WriteJob } from './types.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GRAYSCALE = 0;
/** Bytes of rows that are compressed at a time. */
const BATCH_BYTES = 2 ** 20;
const MAX_UINT31 = 2 ** 31 - 1;

type Bits = 8 | 16;

export async function writePng(job: WriteJob): Promise<string> {
  const { cut, target, options } = job;
  const scene = cut.info.scenes[cut.first.scene]!;
  const bits = chooseBits(scene, options, job.name);
  const file = new StagedFile(target, job.stage);
  return finishStaged(file, job, async () => {
    const { sink } = file;
    sink.write(SIGNATURE);
    writeChunk(sink, 'IHDR', imageHeader(scene.sizes, bits));
    const size = pixelSize(scene);
    if (size) writeChunk(sink, 'pHYs', size);
    writeChunk(sink, 'iTXt', description((await describePlane(job)).join('\n')));
    const samples = await cut.read(cut.first);
    await pipeline(
      Readable.from(packRows(toGray(samples, options.window), scene.sizes, bits)),
      createDeflate({ chunkSize: BATCH_BYTES }),
      async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) writeChunk(sink, 'IDAT', part);
      },
    );
    writeChunk(sink, 'IEND', new Uint8Array());
    job.onPlane();
  });
}

function chooseBits({ sampleType }: SceneInfo, { window }: FormatOptions, name: string): Bits {
  if (window || sampleType === 'uint8') return 8;
  if (sampleType === 'uint16') return 16;
  const text = `${name}: a PNG image cannot hold ${sampleType} samples. Say which samples become black and white, for example --window 0:4095, or export to ome-tiff or npy.`;
  throw new OutputError('not_representable', text);
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
function* packRows(samples: SampleArray, { Y, X }: { Y: number; X: number }, bits: Bits): Generator<Buffer> {
  const rowBytes = 1 + (X * bits) / 8;
  const rowsAtOnce = Math.max(1, Math.floor(BATCH_BYTES / rowBytes));
  for (let first = 0; first < Y; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, Y - first);
    const packed = Buffer.alloc(rows * rowBytes);
    for (let r = 0; r < rows; r++) {
      const row = samples.subarray((first + r) * X, (first + r + 1) * X);
      const from = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
      from.copy(packed, r * rowBytes + 1);
      if (bits === 16) packed.subarray(r * rowBytes + 1, (r + 1) * rowBytes).swap16();
    }
    yield packed;
  }
}

function imageHeader({ Y, X }: { Y: number; X: number }, bits: Bits): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(X, 0);
  header.writeUInt32BE(Y, 4);
  header[8] = bits;
  header[9] = GRAYSCALE;
  return header;
}

/** Returns pixels per meter, when both axes are lengths. */
function pixelSize({ steps: { Y, X } }: SceneInfo): Uint8Array | undefined {
  if (Y.unit !== 'micrometer' || X.unit !== 'micrometer') return undefined;
  const [x, y] = [X, Y].map(({ step }) => Math.round(1e6 / step)) as [number, number];
  if (![x, y].every((count) => count >= 1 && count <= MAX_UINT31)) return undefined;
  const size = Buffer.alloc(9);
  size.writeUInt32BE(x, 0);
  size.writeUInt32BE(y, 4);
  size[8] = 1;
  return size;
}

/** Returns international text: keyword, not compressed, no language, no translated keyword. */
function description(text: string): Uint8Array {
  return Buffer.from(`Description\0\0\0\0\0${text}`);
}

function writeChunk(sink: FileSink, type: string, data: Uint8Array): void {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
  sink.write(head);
  if (data.length > 0) sink.write(data);
  sink.write(tail);
}
