/** The overview of a line scan, and the path that the scanner took: images embedded as attachments. */
import type { ReferenceInfo, Step } from '../../acquisition.js';
import { AcqError } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { WindowSource } from '../../io/window-source.js';
import { defaultStep } from '../../metadata/steps.js';
import { NativeTarget } from '../../samples/plane-target.js';
import { lengthStep } from './metadata.js';
import type { RawMetadata } from './parse.js';
import { type Parts, singlePart } from './parts.js';
import { type OpenedContainer, type OpenedScene, openScenes } from './scenes.js';
import { attachmentPayload, type RawAttachment } from './segments.js';

export interface OpenedReference {
  info: ReferenceInfo;
  read: OpenedScene['read'];
}

/** Smallest side of an overview, and fewest vertices of a path. */
const MIN_SIDE = 33;
const MIN_VERTICES = 101;
/** More channels than any overview; stacks of localisations come in hundreds. */
const MAX_CHANNELS = 16;
/** Attached images that are looked into; recordings have two. */
const MAX_IMAGES = 32;
/** Vertices that are served of a dense trajectory. */
const MAX_VERTICES = 100_000;

/** `undefined` when there is none, or none that can be read: `warnings` says why. */
export async function openReference(
  { file }: OpenedContainer,
  parts: Parts,
  warnings: string[],
): Promise<OpenedReference | undefined> {
  let overview: OpenedContainer | undefined;
  let path: { x: ArrayLike<number>; y: ArrayLike<number> } | undefined;
  const images = file.attachments.filter(({ contentType, name }) => contentType === 'ZISRAW' && name === 'Image');
  for (const attachment of images.slice(0, MAX_IMAGES)) {
    try {
      const embedded = openEmbedded(parts.main, attachment);
      const [scene] = embedded.scenes;
      if (!scene || embedded.scenes.length > 1) continue;
      if (isOverview(scene)) overview ??= embedded;
      else if (isPath(scene)) path ??= await readPath(scene);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(`An attached image cannot be read: ${error.message}`);
    }
  }
  const [scene] = overview?.scenes ?? [];
  if (!overview || !scene) return undefined;
  const steps = stepsOf(file.metadata, overview.file.metadata);
  const { sampleType, channels, sizes } = scene.info;
  const info: ReferenceInfo = {
    sampleType,
    channels,
    sizes: { Y: sizes.Y, X: sizes.X },
    steps,
    lineRoi: null,
    scanPath: path ? toPixels(path, sizes, steps, warnings) : null,
  };
  return { info, read: scene.read };
}

function openEmbedded(source: ByteSource, attachment: RawAttachment): OpenedContainer {
  const { offset, length } = attachmentPayload(source, attachment);
  const name = `${source.name} [attachment at ${attachment.position}]`;
  return openScenes(name, singlePart(new WindowSource(name, source, offset, length)));
}

function isOverview({ info: { sizes, channels } }: OpenedScene): boolean {
  const flat = sizes.T === 1 && sizes.Z === 1 && channels.length <= MAX_CHANNELS;
  return flat && sizes.Y >= MIN_SIDE && sizes.X >= MIN_SIDE;
}

/** Floating point numbers, two rows or two channels of one row: x and y. */
function isPath({ info: { sizes, channels, sampleType } }: OpenedScene): boolean {
  const two = channels.length * sizes.Y === 2 && sizes.T === 1 && sizes.Z === 1;
  return two && sampleType.startsWith('float') && sizes.X >= MIN_VERTICES && sizes.X <= LIMITS.planes;
}

async function readPath({ info, read }: OpenedScene): Promise<{ x: ArrayLike<number>; y: ArrayLike<number> }> {
  const { sizes, channels, sampleType } = info;
  const rows = [];
  for (let channel = 0; channel < channels.length; channel++) {
    const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
    await read(channel, { t: 0, z: 0 }, target);
    const samples = target.data as Float32Array | Float64Array;
    for (let row = 0; row < sizes.Y; row++) rows.push(samples.subarray(row * sizes.X, (row + 1) * sizes.X));
  }
  return { x: rows[0] ?? [], y: rows[1] ?? [] };
}

/** The main file's own scaling first: images in attachments often have none. */
function stepsOf(main: RawMetadata, own: RawMetadata): { Y: Step; X: Step } {
  const x = main.scaling.X ?? own.scaling.X ?? own.distances.X;
  const y = main.scaling.Y ?? own.scaling.Y ?? own.distances.Y;
  return { Y: lengthStep(y ?? x, 1) ?? defaultStep(), X: lengthStep(x, 1) ?? defaultStep() };
}

/** From metres around the centre of the overview to its pixels. */
function toPixels(
  { x, y }: { x: ArrayLike<number>; y: ArrayLike<number> },
  sizes: { Y: number; X: number },
  steps: { Y: Step; X: Step },
  warnings: string[],
): { x: number[]; y: number[] } | null {
  if (steps.X.unit !== 'micrometer' || steps.Y.unit !== 'micrometer') {
    warnings.push('The scan path is in metres, and the size of a pixel of the overview is not known; it is left out.');
    return null;
  }
  const stride = Math.ceil(x.length / MAX_VERTICES);
  if (stride > 1) warnings.push(`Of ${x.length} vertices of the scan path, every ${stride}th is served.`);
  const pick = (values: ArrayLike<number>, step: number, size: number) =>
    Array.from(
      { length: Math.ceil(values.length / stride) },
      (_, i) => ((values[i * stride] as number) * 1e6) / step + size / 2,
    );
  const pixels = { x: pick(x, steps.X.step, sizes.X), y: pick(y, steps.Y.step, sizes.Y) };
  if (![...pixels.x, ...pixels.y].every(Number.isFinite)) {
    warnings.push('The scan path holds values that are no numbers; it is left out.');
    return null;
  }
  return pixels;
}
