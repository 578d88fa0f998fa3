/** The pixels of an image on disk whose frames are TIFF files: together they form the image's memory block. */
import { type AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { NativeTarget } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import type { RawPart } from './parse.js';
import type { PixelBytes } from './pixel-bytes.js';

export class FrameBytes implements PixelBytes {
  readonly size: number;
  private readonly image: string;
  private readonly frames: readonly RawPart[];
  /** @throws AcqError `companion_missing` */
  private readonly open: (file: string) => ByteSource;
  /** The last decoded frame is kept, because a plane is read in several pieces. */
  private last: { frame: RawPart; bytes: Uint8Array } | undefined;

  /** @param image its name, for messages */
  constructor(image: string, frames: readonly RawPart[], open: (file: string) => ByteSource) {
    this.image = image;
    this.open = open;
    const isValid = ({ offset, size }: RawPart) =>
      Number.isSafeInteger(offset + size) && offset >= 0 && size > 0 && Number.isSafeInteger(offset);
    this.frames = frames.filter(isValid).sort((a, b) => a.offset - b.offset);
    this.size = this.frames.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    const end = offset + target.length;
    let at = offset;
    while (at < end) {
      const frame = this.frameAt(at);
      if (!frame) throw this.locate(decodeFailed(`byte ${grouped(at)} of the pixels is not in any file`));
      const bytes = await this.decodeOnce(frame);
      const next = Math.min(end, frame.offset + frame.size);
      target.set(bytes.subarray(at - frame.offset, next - frame.offset), at - offset);
      at = next;
    }
  }

  locate(error: AcqError): AcqError {
    return error.restated(`${this.image}: ${error.statement}`);
  }

  /** Finds the frame that contains a byte. */
  private frameAt(at: number): RawPart | undefined {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.frames[middle]!.offset <= at) low = middle + 1;
      else high = middle;
    }
    const frame = this.frames[low - 1];
    return frame && at < frame.offset + frame.size ? frame : undefined;
  }

  private async decodeOnce(frame: RawPart): Promise<Uint8Array> {
    if (this.last?.frame === frame) return this.last.bytes;
    const bytes = await this.decode(frame);
    this.last = { frame, bytes };
    return bytes;
  }

  private async decode({ file, size }: RawPart): Promise<Uint8Array> {
    const { openTiff, readPageSample } = await loadTiff();
    const tiff = openTiff(this.open(file));
    const page = tiff.page(0);
    const { width, height, sampleType, samplesPerPixel, bits } = page.layout;
    const bytes = width * height * storedBytes(sampleType);
    if (samplesPerPixel !== 1) {
      throw unsupported(
        `${this.image}: ${file} is a color TIFF, which is not supported. Export the image as LIF or OME-TIFF.`,
      );
    }
    // Half floats and packed samples would be decoded to more bytes than the file has.
    if (bytes !== size || bits !== storedBytes(sampleType) * 8 || sampleType === 'float16') {
      throw decodeFailed(
        `${this.image}: ${file} is ${grouped(width)} × ${grouped(height)} pixels of ${plural(bits, 'bit')}, which does not match the ` +
          `${plural(size, 'byte')} in the description`,
      );
    }
    if (bytes > LIMITS.chunkBytes) {
      throw decodeFailed(
        `${this.image}: ${file} has ${grouped(bytes)} bytes in one frame; the limit is ${grouped(LIMITS.chunkBytes)}`,
      );
    }
    const target = new NativeTarget(sampleType, height, width);
    await readPageSample(tiff, page, 0, target);
    // Memory blocks are little-endian, like every computer that runs the server.
    return new Uint8Array(target.data.buffer, target.data.byteOffset, target.data.byteLength);
  }
}

/** Most projects have no TIFFs, and pages load what reads them only then. */
async function loadTiff() {
  const [{ openTiff }, { readPageSample }] = await Promise.all([
    import('../../tiff/parse.js'),
    import('../../tiff/read-page.js'),
  ]);
  return { openTiff, readPageSample };
}
