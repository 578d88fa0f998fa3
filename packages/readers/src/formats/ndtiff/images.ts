import type { JsonObject } from '../../base/json.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { shorten } from '../../base/wording.js';
import type { NdtiffFiles } from './files.js';
import { type ImageEntry, readImageMetadata, toAxes } from './parse.js';

/** Images whose metadata an open reads. Each has some kilobytes, between the pixels. */
const MAX_READ = 512;
/** Images of all scenes that an open reads to find the order of their depths. */
export const MAX_ORDERED = 256;
/** Images along one axis of a scene whose metadata an open reads: at most, and even when there are many scenes. */
const [MAX_ALONG_AXIS, MIN_ALONG_AXIS] = [64, 3];

/** Returns how many images along each axis of a scene an open reads: fewer of each scene when there are many. */
export function imagesAlong(scenes: number): number {
  return Math.max(MIN_ALONG_AXIS, Math.min(MAX_ALONG_AXIS, Math.floor(MAX_READ / (2 * scenes))));
}

/** Metadata of images, read one by one and remembered while the set is opened. */
export class ImageMetadata {
  private readonly files: NdtiffFiles;
  private readonly isReduced: boolean;
  private readonly known = new Map<ImageEntry, JsonObject>();

  /** @param isReduced the images of a reduced level keep the axes of an image at full size */
  constructor(files: NdtiffFiles, isReduced: boolean) {
    this.files = files;
    this.isReduced = isReduced;
  }

  /** Returns the metadata of an image; `{}` without an image, when they cannot be read, or when too many were read. */
  of(entry: ImageEntry | undefined): JsonObject {
    if (!entry) return {};
    const known = this.known.get(entry);
    if (known) return known;
    if (this.known.size >= MAX_READ) return {};
    const read = readOf(this.files, entry);
    const axes = this.isReduced ? undefined : toAxes(read['Axes']);
    if (axes && !areSame(axes, entry.axes)) {
      this.files.notes.add(
        asInconsistent(
          `The index says that an image is at ${describe(entry.axes)}, but its own metadata say ${describe(axes)}. ` +
            'Showing it where the index says.',
        ),
      );
    }
    this.known.set(entry, read);
    return read;
  }
}

/** The order of keys has no meaning. */
function areSame(a: ImageEntry['axes'], b: ImageEntry['axes']): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function describe(axes: ImageEntry['axes']): string {
  return shorten(JSON.stringify(axes), 80);
}

/** Reads the metadata of an image; `{}` when its file is missing. */
export function readOf(files: NdtiffFiles, entry: ImageEntry): JsonObject {
  const source = files.find(entry.file);
  return source ? readImageMetadata(source, entry) : {};
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
