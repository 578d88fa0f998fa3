/** The XML of an image that was exported as TIFF files. */
import { Notes } from '../../base/notes.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { ImageProblem, layoutImage } from './layout.js';
import { toScenes } from './metadata.js';
import { parseDocument, type RawLifImage } from './parse.js';
import type { LifImage } from './types.js';

/** Returns the scenes of the first image that a document describes, with its warnings; none when it describes no image. */
export function readExportedScenes(text: string): SceneInfo[] {
  const { images, saved } = parseDocument(text);
  const [first] = images;
  if (!first) return [];
  const raw = withoutOffsets(first);
  try {
    // The pixels are in other files.
    const image: LifImage = { raw, layout: layoutImage(raw, Number.POSITIVE_INFINITY), bytes: NO_BYTES, saved };
    return toScenes([image], new Notes()).map(({ info }) => info);
  } catch (error) {
    if (error instanceof ImageProblem) return [];
    throw error;
  }
}

const NO_BYTES: LifImage['bytes'] = { size: 0, readInto: () => undefined, locate: (error) => error };

/** Offsets are those of the image before the export. Some documents have none. */
function withoutOffsets(raw: RawLifImage): RawLifImage {
  let next = 8;
  const dimensions = raw.dimensions
    .toSorted((a, b) => a.id - b.id)
    .map((dimension) => {
      const bytesInc = next;
      next *= Math.max(1, dimension.count);
      return { ...dimension, bytesInc };
    });
  const channels = raw.channels.map((channel, i) => ({ ...channel, bytesInc: i * next }));
  return { ...raw, dimensions, channels };
}
