/** The reference image of a line scan, and the path that the scanner took: images embedded as attachments. */

import { AcqError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { about, quoteError } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { WindowSource } from '../../io/window-source.js';
import type { FoundReference, ReferenceInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { NativeTarget } from '../../model/samples/plane-target.js';
import { lengthStep } from './metadata.js';
import type { RawMetadata } from './metadata-xml.js';
import { type CziParts, singlePart } from './parts.js';
import { type OpenedContainer, type OpenedScene, openScenes } from './scenes.js';
import { locateAttachment, type RawAttachment } from './segments.js';

export interface OpenedReference {
  info: ReferenceInfo;
  read: OpenedScene['read'];
}

/** Smaller images are not a reference, shorter ones not a path. */
const MIN_SIDE = 33;
const MIN_VERTICES = 101;
/** Images with more channels are not a reference: stacks of localizations have hundreds. */
const MAX_CHANNELS = 16;
/** Attached images that are opened; recordings have two. */
const MAX_IMAGES = 32;
/** Vertices that are kept of a long path. */
const MAX_VERTICES = 100_000;

interface Path {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

/** Finds the reference image of the line scans in a file; a file without line scans has none. */
export async function findReference(
  { file, scenes }: OpenedContainer,
  parts: CziParts,
): Promise<FoundReference<OpenedReference>> {
  if (!scenes.some(({ lines }) => lines)) return { warnings: [] };
  const notes = new Notes();
  const { container, path } = await openAttachedImages(file.attachments, parts.main, notes);
  const [scene] = container?.scenes ?? [];
  if (!container || !scene) return { warnings: notes.list() };
  const steps = findSteps(file.metadata, container.file.metadata);
  const { sampleType, channels, sizes } = scene.info;
  const info: ReferenceInfo = {
    sampleType,
    channels,
    sizes: { Y: sizes.Y, X: sizes.X },
    steps,
    lineRoi: null,
    scanPath: path ? toPixels(path, { sizes, steps }, notes) : null,
  };
  return { image: { info, read: scene.read }, warnings: notes.list() };
}

/** Returns the scene as it is, or a line scan with its reference. */
export function withReference(
  { info, lines }: OpenedScene,
  { image, warnings }: FoundReference<OpenedReference>,
): SceneInfo {
  if (!lines) return info;
  return { ...info, reference: image?.info ?? null, warnings: [...info.warnings, ...warnings] };
}

/** Opens the first reference image and the first path. */
async function openAttachedImages(
  attachments: readonly RawAttachment[],
  source: ByteSource,
  notes: Notes,
): Promise<{ container?: OpenedContainer; path?: Path }> {
  const found: { container?: OpenedContainer; path?: Path } = {};
  const images = attachments.filter(({ contentType, name }) => contentType === 'ZISRAW' && name === 'Image');
  for (const attachment of images.slice(0, MAX_IMAGES)) {
    try {
      const embedded = about(source.name, () => openEmbedded(source, attachment));
      const [scene] = embedded.scenes;
      if (!scene || embedded.scenes.length > 1) continue;
      if (isReference(scene)) found.container ??= embedded;
      else if (isPath(scene)) found.path ??= await readPath(scene);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.add(quoteError('An attached image cannot be read', error));
    }
  }
  return found;
}

function openEmbedded(source: ByteSource, attachment: RawAttachment): OpenedContainer {
  const { offset, length } = locateAttachment(source, attachment);
  const name = `${source.name} [attachment at ${attachment.position}]`;
  return openScenes(singlePart(new WindowSource(name, source, offset, length)));
}

function isReference({ info: { sizes, channels } }: OpenedScene): boolean {
  const isPlane = sizes.T === 1 && sizes.Z === 1 && channels.length <= MAX_CHANNELS;
  return isPlane && sizes.Y >= MIN_SIDE && sizes.X >= MIN_SIDE;
}

/** True for x and y as floating-point numbers, in two rows or in two channels of one row. */
function isPath({ info: { sizes, channels, sampleType } }: OpenedScene): boolean {
  const hasTwoRows = channels.length * sizes.Y === 2 && sizes.T === 1 && sizes.Z === 1;
  return hasTwoRows && sampleType.startsWith('float') && sizes.X >= MIN_VERTICES && sizes.X <= LIMITS.planes;
}

async function readPath({ info, read }: OpenedScene): Promise<Path> {
  const { sizes, channels, sampleType } = info;
  const rows = [];
  for (let channel = 0; channel < channels.length; channel++) {
    const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
    await read({ channel, t: 0, z: 0 }, target);
    const samples = target.data as Float32Array | Float64Array;
    for (let row = 0; row < sizes.Y; row++) rows.push(samples.subarray(row * sizes.X, (row + 1) * sizes.X));
  }
  return { x: rows[0] ?? [], y: rows[1] ?? [] };
}

/** Returns the pixel size of the reference image, from the main file first: attached images often have none. */
function findSteps(main: RawMetadata, own: RawMetadata): { Y: Step; X: Step } {
  const x = main.scaling.X ?? own.scaling.X ?? own.distances.X;
  const y = main.scaling.Y ?? own.scaling.Y ?? own.distances.Y;
  return { Y: lengthStep(y ?? x) ?? defaultStep(), X: lengthStep(x) ?? defaultStep() };
}

/** Converts meters from the center of the reference image to its pixels. */
function toPixels(
  { x, y }: Path,
  { sizes, steps }: Pick<ReferenceInfo, 'sizes' | 'steps'>,
  notes: Notes,
): { x: number[]; y: number[] } | null {
  if (steps.X.unit !== 'micrometer' || steps.Y.unit !== 'micrometer') {
    notes.add('The scan path was ignored: it is in meters, and the pixel size of the reference image is missing.');
    return null;
  }
  const stride = Math.ceil(x.length / MAX_VERTICES);
  if (stride > 1) {
    notes.add(`The scan path has ${grouped(x.length)} vertices. Showing 1 of every ${stride}.`);
  }
  const pick = (values: ArrayLike<number>, step: number, size: number) =>
    Array.from({ length: Math.ceil(values.length / stride) }, (_, i) => (values[i * stride]! * 1e6) / step + size / 2);
  const pixels = { x: pick(x, steps.X.step, sizes.X), y: pick(y, steps.Y.step, sizes.Y) };
  if (![...pixels.x, ...pixels.y].every(Number.isFinite)) {
    notes.add('The scan path was ignored: it contains values that are not numbers.');
    return null;
  }
  return pixels;
}
