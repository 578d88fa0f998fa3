/** Images of a file with their bytes, as scenes. */
import type { SceneInfo } from '../../acquisition.js';
import type { AcqError } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { cleanName, uniqueNames } from '../../metadata/names.js';
import type { MemoryBlock } from './blocks.js';
import type { RawDocument, RawImage } from './document.js';
import { entriesOf, ImageProblem, layoutImage } from './layout.js';
import { foldedName, toScene } from './metadata.js';
import type { PixelBytes } from './planes.js';
import { findReference, toReference } from './reference.js';
import type { LifImage, LifScene } from './types.js';

/** A part of a file. */
export class FileRange implements PixelBytes {
  readonly name: string;
  readonly size: number;
  private readonly source: ByteSource;
  private readonly start: number;

  /** `size` as announced; what the file lacks of it is not counted. */
  constructor(source: ByteSource, start: number, size: number) {
    this.name = source.name;
    this.source = source;
    this.start = start;
    this.size = Math.max(0, Math.min(size, source.size - start));
  }

  readInto(target: Uint8Array, offset: number): void {
    this.source.readInto(target, this.start + offset);
  }
}

/** What an acquisition is made of, and what of it is not served. */
export interface Collected {
  images: LifImage[];
  /** For every scene to carry. */
  warnings: string[];
  /** The first file of a project that is not there: the answer when no image can be read. */
  missing?: AcqError;
  /** Files of a project by their names in its folder. */
  files: string[];
  /** Warnings that were too many to keep. */
  more: number;
}

/** A project of thousands of images carries its warnings with each of them: the first ones are kept, the rest counted. */
const KEPT_WARNINGS = 20;

export function nothingYet(): Collected {
  return { images: [], warnings: [], files: [], more: 0 };
}

export function warn(into: Collected, text: string): void {
  if (into.warnings.length < KEPT_WARNINGS) into.warnings.push(text);
  else into.more++;
}

/** Adds an image, or why it is left out. */
export function addImage(into: Collected, raw: RawImage, saved: bigint | undefined, bytes: PixelBytes | string): void {
  const name = raw.path.filter((part) => part !== '').join('/') || 'without a name';
  const leaveOut = (reason: string) => warn(into, `The image ${name} is left out: ${reason}.`);
  if (typeof bytes === 'string') return void leaveOut(bytes);
  if (into.images.length >= LIMITS.scenes) return void leaveOut('the file has more images than any real one');
  if (bytes.size === 0) return void leaveOut('none of its pixels are in the file');
  try {
    into.images.push({ raw, layout: layoutImage(raw, bytes.size), bytes, saved });
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error;
    leaveOut(error.message);
  }
}

/** What a document says of itself that every scene should tell. */
export function documentWarnings(document: RawDocument, into: Collected): void {
  const { others, complete, errors } = document;
  if (!complete || errors.length > 0) {
    const why = (errors[0] ?? 'it ends early').replace(/\.$/, '');
    warn(
      into,
      `The description of the images is damaged: ${why}. Images (scenes) or channels may be missing or misplaced.`,
    );
  }
  if (others.length > 0) {
    const shown = others.slice(0, 5).join(', ');
    warn(
      into,
      `Data other than images are not served: ${shown}${others.length > 5 ? `, … ${others.length} in all` : ''}.`,
    );
  }
}

/** Data that the description does not mention belong to images that it lost. */
export function noteUnused(blocks: ReadonlyMap<string, MemoryBlock>, document: RawDocument, into: Collected): void {
  const unused = [...blocks].filter(([id, { size }]) => size > 0 && !document.blockIds.has(id));
  if (unused.length === 0) return;
  const shown = unused.slice(0, 3).map(([id, { size }]) => `"${cleanName(id)}" of ${size} bytes`);
  const more = unused.length > shown.length ? `, … ${unused.length} in all` : '';
  const list = `${shown.join(', ')}${more}`;
  warn(into, `The file has data that no image uses: images (scenes) may be missing. Unused memory blocks: ${list}.`);
}

/** A scene for each image, or for each tile of it. */
export function toScenes({ images, warnings: first, more }: Collected): LifScene[] {
  const warnings = more > 0 ? [...first, `… and ${more} more like these.`] : first;
  const scenes: LifScene[] = [];
  const infos = new Map<LifImage, SceneInfo>();
  for (const image of images) infos.set(image, toScene(image.raw, image.layout, image.saved));
  for (const [index, image] of images.entries()) {
    const info = infos.get(image) as SceneInfo;
    const reference = findReference(images, index);
    if (reference) {
      info.reference = toReference(image, reference, infos.get(reference) as SceneInfo);
      if (info.reference.lineRoi) {
        info.warnings.push(
          'The line on the reference image is the middle of the scan field: both were recorded at one stage position, ' +
            'pan and rotation.',
        );
      }
    }
    const entries = Math.min(entriesOf(image.layout.folded), LIMITS.scenes - scenes.length);
    for (let folded = 0; folded < entries; folded++) {
      const name = `${info.name}${foldedName(image.layout, folded)}`;
      scenes.push({ info: { ...info, name, warnings: [...info.warnings, ...warnings] }, image, folded, reference });
    }
  }
  const names = uniqueNames(scenes.map(({ info }) => info.name));
  for (const [i, scene] of scenes.entries()) scene.info.name = names[i] as string;
  return scenes;
}
