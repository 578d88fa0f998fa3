import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { about } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { BYTE_CODECS, IMAGE_CODECS } from '../../codecs/index.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { OleFile } from '../../io/ole.js';
import { readRows } from '../../io/read-rows.js';
import { createChunkCache, type DecodedChunk } from '../../model/samples/chunk-cache.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { type PlaneTarget, putZeros } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import { isOfForm, type PlaneForm, type ZviScene } from './arrange.js';
import type { RawPlane } from './parse.js';

/** Reads the planes of a file. Keeps the last decoded ones, because each channel of a color image needs them. */
export class ZviPlanes {
  private readonly ole: OleFile;
  private readonly cache = createChunkCache();

  constructor(ole: OleFile) {
    this.ole = ole;
  }

  /**
   * Reads a channel of a plane. A plane that the file does not have is zeros.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async read(
    { form, planeAt }: ZviScene,
    { channel, t, z }: { channel: number; t: number; z: number },
    target: PlaneTarget,
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { samples, sampleType } = form;
    const plane = planeAt({ channel: Math.floor(channel / samples), t, z });
    if (!plane) {
      putZeros(target, sampleType);
      return;
    }
    if (!isOfForm(plane, form)) {
      const size = `${grouped(plane.width)} × ${grouped(plane.height)} pixels of format ${plane.pixelFormat}`;
      throw decodeFailed(`${plane.storage} has ${size}, which does not match the first plane`);
    }
    const sample = channel % samples;
    if (plane.compression === 'none') {
      const offset = plane.offset + storedIndex(sample, samples) * storedBytes(sampleType);
      const rows = { offset, sampleType, littleEndian: true, interleaved: samples };
      readRows(this.open(plane), rows, target, signal);
      return;
    }
    const decoded = this.cache.get(plane.storage) ?? (await this.decode(plane, form));
    const offset = plane.compression === 'jpeg' ? sample : storedIndex(sample, samples);
    target.put({ ...decoded, offset, columnStride: samples }, 0, 0, form.height, form.width);
  }

  private open({ storage }: RawPlane): ByteSource {
    return this.ole.open(`${storage}/Contents`)!;
  }

  private async decode(plane: RawPlane, form: PlaneForm): Promise<DecodedChunk> {
    const { width, height, samples } = form;
    const source = this.open(plane);
    const data = source.read(plane.offset, Math.min(source.size - plane.offset, LIMITS.chunkBytes));
    const decode = plane.compression === 'jpeg' ? await jpegDecoder() : await zlibDecoder();
    const decoded = about(plane.storage, () => decode(data, form));
    const chunk = { samples: decoded, rowStride: width * samples };
    if (samples > 1 && decoded.length === width * height * samples) this.cache.put(plane.storage, chunk);
    return chunk;
  }
}

/** Returns the bytes that decoding a plane of a scene takes beside its target. */
export function scratchBytes({ form, planes }: ZviScene): number {
  const bytes = form.width * form.height * form.samples * storedBytes(form.sampleType);
  return planes.reduce((max, { compression }) => {
    if (compression === 'none') return max;
    return Math.max(max, decodeScratch(bytes, compression === 'jpeg' ? 'image' : 'bytes'));
  }, 0);
}

/** Returns the index of red, green, blue or opacity in a stored pixel. */
function storedIndex(sample: number, samples: number): number {
  return samples > 1 && sample < 3 ? 2 - sample : sample;
}

async function zlibDecoder() {
  const inflate = await BYTE_CODECS.deflate();
  return (data: Uint8Array, { width, height, samples, sampleType }: PlaneForm) => {
    const count = width * height * samples;
    const expected = count * storedBytes(sampleType);
    if (expected > LIMITS.chunkBytes) {
      throw decodeFailed(
        `a compressed plane has ${grouped(expected)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`,
      );
    }
    const bytes = inflate(data, { expected, limit: expected });
    if (bytes.length !== expected) {
      throw decodeFailed(`the plane decompressed to ${grouped(bytes.length)} bytes; expected ${grouped(expected)}`);
    }
    return viewAs(toHostWords(bytes, 8 * storedBytes(sampleType), count, true), sampleType);
  };
}

async function jpegDecoder() {
  const decode = await IMAGE_CODECS.jpeg();
  return (data: Uint8Array, { width, height, samples: components }: PlaneForm) => {
    const image = decode(data, { maxPixels: width * height, components });
    const { samples } = image;
    const isPlane = image.width === width && image.height === height && image.components === components;
    if (isPlane && samples.BYTES_PER_ELEMENT === 1) return samples;
    throw decodeFailed(
      `the JPEG image has ${grouped(image.width)} × ${grouped(image.height)} pixels of ${image.components} samples; ` +
        `expected ${grouped(width)} × ${grouped(height)} of ${components} with 8 bits`,
    );
  };
}
