/** Opens ND2 files from before 2008: JPEG 2000 images, as long as they are a plain sequence. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ImageSize } from '../../codecs/jpeg2000.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Acquisition } from '../../model/acquisition.js';
import { SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { gridSize } from '../../model/metadata/mixed-radix.js';
import { type FrameChannel, type FrameForm, frameChannels } from './frame.js';
import { type BoxMap, IMAGE, readBox, readBoxMap, readBoxPayload } from './legacy-boxes.js';
import { ImageReader } from './legacy-images.js';
import { type LegacyText, legacyTime, parseLegacyPicture, parseLegacyText } from './legacy-text.js';
import { toScenes } from './metadata.js';
import { type RawPicture, readOptional } from './parse.js';
import { type FramePlan, frameAt, planFrames } from './plan.js';
import { listLegacyMetadata } from './vendor-metadata.js';

/** Bytes at the start of a frame's metadata that contain its time. */
const TIME_BYTES = 16 * 1024;
/** Bytes of an image that contain its SIZ segment. */
const HEAD_BYTES = 64 * 1024;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export async function openLegacy(source: ByteSource, signal?: AbortSignal): Promise<Acquisition> {
  const { boxes, warnings } = readBoxMap(source, signal);
  const notes = new Notes();
  notes.addAll(warnings);
  const images = boxes.get(IMAGE) ?? [];
  const [first] = images;
  if (first === undefined) throw notPlain('it does not contain any images');
  const { parseJpeg2000Size } = await import('../../codecs/jpeg2000.js');
  const form = toForm(parseJpeg2000Size(readHead(source, first)));
  const { picture, text } = readDocuments(source, boxes, notes);
  const channels = toChannels(boxes, images.length, form, picture, notes);
  const perFrame = channels.length / form.components;
  const plan = planImages(text, images.length / perFrame);
  notes.addAll(plan.warnings);
  const scenes = toScenes({
    form,
    picture,
    dateText: text.dateText,
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
    timeOf: frameTimes(source, boxes),
    notes,
  });
  const reader = new ImageReader(source, images, form);
  return {
    info: { format: 'nd2', scenes },
    scratchBytes: () => decodeScratch(form.height * form.width * form.components * 2, 'image'),
    listMetadata: (_scene, list) => listLegacyMetadata(source, boxes, list),
    async readPlane({ scene, channel, t, z }, target, abort) {
      abort?.throwIfAborted();
      const planned = plan.scenes[scene];
      if (!planned || channel >= channels.length) {
        throw decodeFailed(`scene ${scene} has no channel ${channel}`);
      }
      const frame = frameAt(plan, { S: planned.position, T: t, Z: z });
      const image = frame * perFrame + Math.floor(channel / form.components);
      await reader.read(image, channel % form.components, target);
    },
  };
}

function notPlain(why: string): Error {
  return unsupported(
    `this legacy (JPEG 2000) ND2 file is not a plain sequence of images: ${why}. Open it in NIS-Elements and ` +
      'save it again, or convert it to OME-TIFF.',
  );
}

function readHead(source: ByteSource, offset: number): Uint8Array {
  if (offset >= source.size) throw decodeFailed('the file is truncated before its first image');
  return source.read(offset, Math.min(HEAD_BYTES, source.size - offset));
}

/** @throws AcqError `unsupported_format` */
function toForm({ width, height, components }: ImageSize): FrameForm {
  const depth = components[0]?.depth ?? 0;
  const bits = (depth & 0x7f) + 1;
  if (bits > 16) throw unsupported(`the JPEG 2000 images have ${bits} bits per sample; the limit is 16`);
  if (width < 1 || height < 1 || components.length < 1) {
    throw decodeFailed(
      `the header of the first image is invalid: ${grouped(width)} × ${grouped(height)} pixels with ` +
        `${plural(components.length, 'component')}`,
    );
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

function readDocuments(source: ByteSource, boxes: BoxMap['boxes'], notes: Notes): Documents {
  const read = <Result>(type: string, parse: (bytes: Uint8Array) => Result): Result | undefined => {
    const offset = boxes.get(type)?.[0];
    if (offset === undefined) return undefined;
    return readOptional(source, () => parse(readBoxPayload(source, offset, LIMITS.sidecarBytes)), notes);
  };
  const text = read('TINF', parseLegacyText) ?? { loops: [], dateText: undefined };
  return { picture: read('VIMD', parseLegacyPicture), text };
}

/** There is one image per channel and frame. Each frame has metadata of its own, or all share one. */
function toChannels(
  boxes: BoxMap['boxes'],
  images: number,
  form: FrameForm,
  picture: RawPicture | undefined,
  notes: Notes,
): FrameChannel[] {
  const described = (boxes.get('VIMD') ?? boxes.get('VCAL'))?.length;
  const planes = picture?.planes ?? [];
  const perFrame = planes.length > 0 ? planes.length : images / (described ?? images);
  const agreed = described === undefined || described === 1 || described * perFrame === images;
  if (!Number.isSafeInteger(perFrame) || images % perFrame !== 0 || !agreed) {
    throw notPlain(
      `it has ${plural(images, 'image')} for ${plural(described ?? 1, 'frame')} and ${plural(planes.length, 'channel')}`,
    );
  }
  if (perFrame * form.components > LIMITS.channels) {
    throw notPlain(`it has ${plural(perFrame, 'image')} per frame; the limit is ${grouped(LIMITS.channels)} channels`);
  }
  if (form.components === 3) {
    const colors = ['R', 'G', 'B'];
    return Array.from({ length: perFrame * 3 }, (_, i) => ({
      display: SAMPLE_DISPLAYS[i % 3] ?? {},
      name: perFrame === 1 ? colors[i]! : `${planes[Math.floor(i / 3)]?.name ?? ''} ${colors[i % 3]}`,
      component: i % 3,
    }));
  }
  return frameChannels(perFrame * form.components, planes, notes);
}

/** The description gives the planned loops, which are used only when they match the number of frames. */
function planImages({ loops }: LegacyText, frames: number): FramePlan {
  const planned = gridSize(loops);
  const matches = planned === frames;
  const numbers = Array.from({ length: frames }, (_, i) => i);
  const plan = planFrames(matches ? loops : frames > 1 ? [{ kind: 'T', type: 0, size: frames }] : [], numbers);
  if (matches || loops.length === 0) return plan;
  const warning = asInconsistent(
    `The description says ${plural(planned, 'frame')}, but the file has ${grouped(frames)}. ` +
      'All are shown as time points.',
  );
  return { ...plan, warnings: [warning, ...plan.warnings] };
}

function frameTimes(source: ByteSource, boxes: BoxMap['boxes']): (frame: number) => number | undefined {
  return (frame) => {
    const offset = boxes.get('VIMD')?.[frame];
    const box = offset === undefined ? undefined : readBox(source, offset);
    return box && legacyTime(source.read(box.payload, Math.min(box.length, TIME_BYTES)));
  };
}
