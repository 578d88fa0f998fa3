/** The ND2 of before 2008: JPEG 2000 images one after the other, read when that is all that it is. */
import type { Acquisition } from '../../acquisition.js';
import { IMAGE_CODECS } from '../../codecs/index.js';
import type { ImageSize } from '../../codecs/jpeg2000.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { DecodedImage } from '../../codecs/types.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import { grouped, plural } from '../../wording.js';
import { type FrameChannel, type FrameForm, frameChannels } from './frame.js';
import { type BoxMap, IMAGE, readBox, readBoxMap, readBoxPayload } from './legacy-boxes.js';
import { type LegacyText, legacyTime, parseLegacyPicture, parseLegacyText } from './legacy-text.js';
import { toScenes } from './metadata.js';
import type { RawPicture } from './parse.js';
import { type FramePlan, frameAt, planFrames } from './plan.js';

/** Start of a frame's description, where its time is. */
const TIME_BYTES = 16 * 1024;
/** Enough of a code stream for its SIZ segment. */
const HEAD_BYTES = 64 * 1024;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export async function openLegacy(name: string, source: ByteSource, signal?: AbortSignal): Promise<Acquisition> {
  const { boxes, warnings } = readBoxMap(source, signal);
  const images = boxes.get(IMAGE) ?? [];
  const [first] = images;
  if (first === undefined) throw notPlain(name, 'it holds no image that is marked as one');
  const { parseJpeg2000Size } = await import('../../codecs/jpeg2000.js');
  const form = formOf(name, parseJpeg2000Size(headOf(source, first)));
  const documents = readDocuments(source, boxes, warnings);
  const channels = channelsOf(name, boxes, images.length, form, documents.picture, warnings);
  const perFrame = channels.length / form.components;
  const plan = planOf(name, documents.text, images.length / perFrame, warnings);
  const scenes = toScenes({
    form,
    picture: documents.picture,
    dateText: documents.text.dateText,
    plan,
    layout: {
      lines: false,
      transposed: false,
      scenes: plan.scenes.map(({ position, T, Z }) => ({
        position,
        sizes: { T, Z, Y: form.height, X: form.width },
      })),
      warnings: [],
    },
    channels,
    timeOf: timesOf(source, boxes),
    warnings: [...warnings, ...plan.warnings],
  });
  const reader = new ImageReader(source, images, form);
  return {
    info: { format: 'nd2', scenes },
    scratchBytes: () => decodeScratch(form.height * form.width * form.components * 2, 'image'),
    async readPlane({ scene, channel, t, z }, target, abort) {
      abort?.throwIfAborted();
      const planned = plan.scenes[scene];
      if (!planned || channel >= channels.length)
        throw decodeFailed(`${name}: has no channel ${channel} of scene ${scene}`);
      const frame = frameAt(plan.loops, { S: planned.position, T: t, Z: z });
      const image = frame * perFrame + Math.floor(channel / form.components);
      const component = channel % form.components;
      const { samples } = await reader.read(image);
      const { width, height, components } = form;
      const block = { samples, offset: component, rowStride: width * components, columnStride: components };
      target.put(block, 0, 0, height, width);
    },
  };
}

function notPlain(name: string, why: string): Error {
  return unsupported(
    `${name}: is a legacy (JPEG 2000) ND2 and no plain sequence of images: ${why}. Open it in NIS-Elements and save it ` +
      'again, or convert it to OME-TIFF.',
  );
}

function headOf(source: ByteSource, offset: number): Uint8Array {
  if (offset >= source.size) throw decodeFailed(`${source.name}: ends before its first image`);
  return source.read(offset, Math.min(HEAD_BYTES, source.size - offset));
}

/** @throws AcqError `unsupported_format` */
function formOf(name: string, { width, height, components }: ImageSize): FrameForm {
  const depth = components[0]?.depth ?? 0;
  const bits = (depth & 0x7f) + 1;
  if (bits > 16) throw unsupported(`${name}: its JPEG 2000 images have ${bits} bits per sample; up to 16 can be read`);
  if (width < 1 || height < 1 || width * height > LIMITS.planePixels || components.length < 1) {
    throw decodeFailed(`${name}: its images claim ${width} × ${height} pixels with ${components.length} components`);
  }
  const bytesPerSample = bits > 8 ? 2 : 1;
  return {
    width,
    height,
    stride: width * components.length * bytesPerSample,
    components: components.length,
    bytesPerSample,
    sampleType: `${depth & 0x80 ? 'int' : 'uint'}${bits > 8 ? 16 : 8}`,
    deflated: false,
  };
}

interface Documents {
  picture: RawPicture | undefined;
  text: LegacyText;
}

function readDocuments(source: ByteSource, boxes: BoxMap['boxes'], warnings: string[]): Documents {
  const read = <Result>(type: string, parse: (bytes: Uint8Array) => Result): Result | undefined => {
    const offset = boxes.get(type)?.[0];
    if (offset === undefined) return undefined;
    try {
      return parse(readBoxPayload(source, offset, LIMITS.sidecarBytes));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(
        `${error.message}; what it describes is not shown (it may be names and order of channels, times or depths).`,
      );
      return undefined;
    }
  };
  const text = read('TINF', parseLegacyText) ?? { loops: [], dateText: undefined };
  return { picture: read('VIMD', parseLegacyPicture), text };
}

/** One image per channel and frame. Frames may have a description each, or all of them one. */
function channelsOf(
  name: string,
  boxes: BoxMap['boxes'],
  images: number,
  form: FrameForm,
  picture: RawPicture | undefined,
  warnings: string[],
): FrameChannel[] {
  const described = (boxes.get('VIMD') ?? boxes.get('VCAL'))?.length;
  const planes = picture?.planes ?? [];
  const perFrame = planes.length > 0 ? planes.length : images / (described ?? images);
  const agreed = described === undefined || described === 1 || described * perFrame === images;
  if (!Number.isSafeInteger(perFrame) || images % perFrame !== 0 || !agreed) {
    throw notPlain(
      name,
      `it has ${plural(images, 'image')} for ${plural(described ?? 1, 'frame')} of ${plural(planes.length, 'channel')}`,
    );
  }
  if (perFrame * form.components > LIMITS.channels) throw notPlain(name, `it has ${perFrame} images per frame`);
  if (form.components === 3) {
    const colours = ['R', 'G', 'B'];
    return Array.from({ length: perFrame * 3 }, (_, i) => ({
      display: SAMPLE_DISPLAYS[i % 3] ?? {},
      name: perFrame === 1 ? (colours[i] as string) : `${planes[Math.floor(i / 3)]?.name ?? ''} ${colours[i % 3]}`,
      component: i % 3,
    }));
  }
  return frameChannels(perFrame * form.components, planes, warnings);
}

/** The description counts what was planned: it is believed when that is what the file holds. */
function planOf(name: string, text: LegacyText, frames: number, warnings: string[]): FramePlan {
  const planned = text.loops.reduce((all, { count }) => all * count, 1);
  const fits = planned === frames;
  if (!fits && text.loops.length > 0) {
    warnings.push(
      `The description says ${plural(planned, 'frame')}; the file has ${grouped(frames)}. All are shown as time points.`,
    );
  }
  const loops = fits ? text.loops : frames > 1 ? [{ axis: 'T' as const, type: 0, count: frames }] : [];
  return planFrames(
    name,
    loops,
    Array.from({ length: frames }, (_, i) => i),
  );
}

function timesOf(source: ByteSource, boxes: BoxMap['boxes']): (frame: number) => number | undefined {
  return (frame) => {
    const offset = boxes.get('VIMD')?.[frame];
    const box = offset === undefined ? undefined : readBox(source, offset);
    return box && legacyTime(source.read(box.payload, Math.min(box.length, TIME_BYTES)));
  };
}

/** Images of one file; the last one is kept for its other components. */
class ImageReader {
  private readonly source: ByteSource;
  private readonly images: readonly number[];
  private readonly form: FrameForm;
  private kept: { image: number; decoded: DecodedImage } | undefined;

  constructor(source: ByteSource, images: readonly number[], form: FrameForm) {
    this.source = source;
    this.images = images;
    this.form = form;
  }

  /** @throws AcqError `decode_failed`, `unsupported_format` */
  async read(image: number): Promise<DecodedImage> {
    if (this.kept?.image === image) return this.kept.decoded;
    const where = `${this.source.name}: image ${image + 1}`;
    const offset = this.images[image];
    if (offset === undefined) throw decodeFailed(`${where} is not in the file`);
    const { width, height, components } = this.form;
    const decode = await IMAGE_CODECS.jpeg2000();
    const stream = readBoxPayload(this.source, offset, LIMITS.chunkBytes);
    const decoded = decode(stream, { maxPixels: width * height, components });
    if (decoded.width !== width || decoded.height !== height) {
      throw decodeFailed(
        `${where} has ${decoded.width} × ${decoded.height} pixels, the first one ${width} × ${height}`,
      );
    }
    if (decoded.samples.BYTES_PER_ELEMENT !== this.form.bytesPerSample) {
      throw decodeFailed(`${where} has another number of bits per sample than the first one`);
    }
    this.kept = components > 1 ? { image, decoded } : undefined;
    return decoded;
  }
}
