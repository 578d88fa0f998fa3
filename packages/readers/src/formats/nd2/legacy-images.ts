/** Reads the JPEG 2000 images of a legacy file. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { IMAGE_CODECS } from '../../codecs/index.js';
import type { DecodedImage } from '../../codecs/types.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import type { FrameForm } from './frame.js';
import { readBoxPayload } from './legacy-boxes.js';

/** Decodes the images of one file. The last image is kept for its other components. */
export class ImageReader {
  private readonly source: ByteSource;
  private readonly images: readonly number[];
  private readonly form: FrameForm;
  private kept: { image: number; decoded: DecodedImage } | undefined;

  constructor(source: ByteSource, images: readonly number[], form: FrameForm) {
    this.source = source;
    this.images = images;
    this.form = form;
  }

  /**
   * Reads one component of an image into `target`.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async read(image: number, component: number, target: PlaneTarget): Promise<void> {
    const { samples } = await this.decode(image);
    const { width, height, components } = this.form;
    const piece = { samples, offset: component, rowStride: width * components, columnStride: components };
    target.put(piece, 0, 0, height, width);
  }

  private async decode(image: number): Promise<DecodedImage> {
    if (this.kept?.image === image) return this.kept.decoded;
    const where = `image ${image + 1}`;
    const offset = this.images[image];
    if (offset === undefined) throw decodeFailed(`${where} is missing from the file`);
    const { width, height, components } = this.form;
    const decode = await IMAGE_CODECS.jpeg2000();
    const stream = readBoxPayload(this.source, offset, LIMITS.chunkBytes);
    const decoded = decode(stream, { maxPixels: width * height, components });
    if (decoded.width !== width || decoded.height !== height) {
      throw decodeFailed(
        `${where} is ${grouped(decoded.width)} × ${grouped(decoded.height)} pixels, but the first image is ${grouped(width)} × ${grouped(height)}`,
      );
    }
    if (decoded.samples.BYTES_PER_ELEMENT !== this.form.bytesPerSample) {
      throw decodeFailed(`${where} does not have as many bits per sample as the first image`);
    }
    this.kept = components > 1 ? { image, decoded } : undefined;
    return decoded;
  }
}
