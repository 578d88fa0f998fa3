/** Pixels of an image on disk that lie in TIFF files, one frame each: together they are the image's memory block. */
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { toHostWords } from '../../samples/host-words.js';
import { NativeTarget } from '../../samples/plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { RawPart } from './document.js';
import { SAMPLE_BYTES } from './layout.js';
import type { PixelBytes } from './planes.js';

export class FrameBytes implements PixelBytes {
  readonly name: string;
  readonly size: number;
  private readonly frames: readonly RawPart[];
  /** @throws AcqError `companion_missing` */
  private readonly open: (file: string) => ByteSource;
  /** The frame that was decoded last: the pieces of a plane come one after the other. */
  private last: { frame: RawPart; bytes: Uint8Array } | undefined;

  constructor(name: string, frames: readonly RawPart[], open: (file: string) => ByteSource) {
    this.name = name;
    this.open = open;
    const whole = ({ offset, size }: RawPart) =>
      Number.isSafeInteger(offset + size) && offset >= 0 && size > 0 && Number.isSafeInteger(offset);
    this.frames = frames.filter(whole).sort((a, b) => a.offset - b.offset);
    this.size = this.frames.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    const end = offset + target.length;
    let at = offset;
    while (at < end) {
      const frame = this.frameAt(at);
      if (!frame) throw decodeFailed(`${this.name}: no file holds byte ${at} of its pixels`);
      const bytes = await this.bytesOf(frame);
      const upTo = Math.min(end, frame.offset + frame.size);
      target.set(bytes.subarray(at - frame.offset, upTo - frame.offset), at - offset);
      at = upTo;
    }
  }

  /** The last frame that starts at or before a byte, when it reaches it. */
  private frameAt(at: number): RawPart | undefined {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.frames[middle] as RawPart).offset <= at) low = middle + 1;
      else high = middle;
    }
    const frame = this.frames[low - 1];
    return frame && at < frame.offset + frame.size ? frame : undefined;
  }

  private async bytesOf(frame: RawPart): Promise<Uint8Array> {
    if (this.last?.frame === frame) return this.last.bytes;
    const bytes = await this.decode(frame);
    this.last = { frame, bytes };
    return bytes;
  }

  private async decode({ file, size }: RawPart): Promise<Uint8Array> {
    const tiff = openTiff(this.open(file));
    const page = tiff.page(0);
    const { width, height, sampleType, samplesPerPixel, bits } = page.layout;
    const bytes = width * height * SAMPLE_BYTES[sampleType];
    if (samplesPerPixel !== 1) {
      throw unsupported(
        `${this.name}: ${file} is a colour TIFF, which is not read here; export the image as LIF or OME-TIFF`,
      );
    }
    // Half floats and packed samples would come out wider than they are stored.
    if (bytes !== size || bits !== SAMPLE_BYTES[sampleType] * 8 || sampleType === 'float16') {
      throw decodeFailed(
        `${this.name}: ${file} is ${height} × ${width} pixels of ${bits} bits, not the ${size} bytes ` +
          'of whole samples that the project announces',
      );
    }
    if (bytes > LIMITS.chunkBytes) throw decodeFailed(`${this.name}: ${file} claims ${bytes} bytes in one frame`);
    const target = new NativeTarget(sampleType, height, width);
    await readPageSample(tiff, page, 0, target);
    const raw = new Uint8Array(target.data.buffer, target.data.byteOffset, target.data.byteLength);
    // The block is little-endian whatever this machine is; swapping is its own inverse.
    toHostWords(raw, bits, width * height, true);
    return raw;
  }
}
