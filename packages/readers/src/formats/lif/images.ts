/** Gathers the images of a file or project that can be shown, and says which cannot. */

import { AcqError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { cleanName } from '../../model/metadata/names.js';
import type { MemoryBlock } from './blocks.js';
import { ImageProblem, layoutImage } from './layout.js';
import type { RawLifDocument, RawLifImage } from './parse.js';
import type { PixelBytes } from './pixel-bytes.js';
import type { LifImage } from './types.js';

/** The images of a file or project, and what every scene should say about it. */
export class ImageList {
  readonly images: LifImage[] = [];
  readonly notes = new Notes();
  /** Files of a project by their names in its folder. */
  readonly files: string[] = [];
  /** The first missing file of a project; it becomes the error when no image can be shown. */
  missing: AcqError | undefined;

  /** Adds an image, or a note when it cannot be shown. `bytes` are its pixels, or the reason why there are none. */
  add(raw: RawLifImage, saved: bigint | undefined, bytes: PixelBytes | AcqError | string): void {
    const image = toImage(raw, saved, bytes, this.images.length);
    const name = raw.path.filter((part) => part !== '').join('/');
    const skipped = `The image ${name || 'without a name'} was skipped`;
    if (image instanceof AcqError) this.notes.add(`${quoteError(skipped, image)}.`);
    else if (typeof image === 'string') this.notes.add(`${skipped}: ${image}.`);
    else this.images.push(image);
  }
}

/** Returns the image, or why it cannot be shown. */
function toImage(
  raw: RawLifImage,
  saved: bigint | undefined,
  bytes: PixelBytes | AcqError | string,
  count: number,
): LifImage | AcqError | string {
  if (typeof bytes === 'string' || bytes instanceof AcqError) return bytes;
  if (count >= LIMITS.scenes) return `the limit is ${grouped(LIMITS.scenes)} images`;
  if (bytes.size === 0) return 'none of its pixels are in the file';
  try {
    return { raw, layout: layoutImage(raw, bytes.size), bytes, saved };
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error;
    return error.message;
  }
}

/** Returns what every scene should say about the document: that it is corrupted, or has data that are not images. */
export function describeDocument({ otherData, complete, errors }: RawLifDocument): string[] {
  const warnings: string[] = [];
  if (!complete || errors.length > 0) {
    const why = (errors[0] ?? 'it ends early').replace(/\.$/, '');
    warnings.push(
      asCorrupted(
        `The XML that describes the images is corrupted (${why}). Images (scenes) or channels may be missing or in the wrong place.`,
      ),
    );
  }
  if (otherData.length > 0) {
    const more = otherData.length > 5 ? `, … (${grouped(otherData.length)} in total)` : '';
    warnings.push(`Only images are shown. Other data were skipped: ${otherData.slice(0, 5).join(', ')}${more}.`);
  }
  return warnings;
}

/** Returns a warning when there are memory blocks that the document does not mention: their images were lost. */
export function describeUnusedBlocks(
  document: RawLifDocument,
  blocks: ReadonlyMap<string, MemoryBlock>,
): string | undefined {
  const unused = [...blocks].filter(([id, { size }]) => size > 0 && !document.blockIds.has(id));
  if (unused.length === 0) return undefined;
  const shown = unused.slice(0, 3).map(([id, { size }]) => `"${cleanName(id)}" (${plural(size, 'byte')})`);
  const more = unused.length > shown.length ? `, … (${grouped(unused.length)} in total)` : '';
  return asCorrupted(
    'The file has data that do not belong to any image, so images (scenes) may be missing. ' +
      `Unused memory blocks: ${shown.join(', ')}${more}.`,
  );
}
