import type { Notes } from '../../../base/notes.js';
import { countAre, grouped } from '../../../base/wording.js';
import type { RawPixels, RawTiffData } from '../../../model/metadata/ome-document.js';

const FIRST = { C: 'c', Z: 'z', T: 't' } as const;
const NOUNS = { C: 'channels', Z: 'sections', T: 'time points' } as const;
type StackAxis = keyof typeof FIRST;

/**
 * Makes the sizes of an image and its TiffData agree where the opened file has planes outside the sizes: the file that was
 * named is the one that is shown. Some writers give each file of a set its own sizes, and the numbers of the whole set.
 * @param axes those whose sizes count planes: C counts samples where pages have several
 * @param isOpened true for the index of the opened file; planes of all files count if it has none
 */
export function fitToTiffData(
  pixels: RawPixels,
  axes: readonly StackAxis[],
  isOpened: (file: number) => boolean,
  notes: Notes,
): RawPixels {
  return axes.reduce((fitted, axis) => fitAxis(fitted, axis, isOpened, notes), pixels);
}

function fitAxis(pixels: RawPixels, axis: StackAxis, isOpened: (file: number) => boolean, notes: Notes): RawPixels {
  const { tiffData } = pixels;
  const size = Math.max(1, pixels.sizes[axis]);
  if (!tiffData.some((element) => element[FIRST[axis]] >= size)) return pixels;
  const own = tiffData.filter(({ file }) => isOpened(file));
  const [min, max] = rangeOf(own.length > 0 ? own : tiffData, axis);
  if (max < size) return pixels;
  const [firstOfAll] = rangeOf(tiffData, axis);
  const isShifted = (min >= size || firstOfAll > 0) && max - min < size;
  if (isShifted) return shift(pixels, axis, min, notes);
  const numbers = new Set(tiffData.map((element) => element[FIRST[axis]]).filter((index) => index <= max));
  if (numbers.size !== max + 1) return pixels;
  notes.add(
    `The OME-XML says Size${axis}=${grouped(size)}, but its TiffData lists ${grouped(max + 1)} ${NOUNS[axis]}. ` +
      `Showing ${grouped(max + 1)}.`,
  );
  return { ...pixels, sizes: { ...pixels.sizes, [axis]: max + 1 } };
}

function rangeOf(elements: readonly RawTiffData[], axis: StackAxis): [min: number, max: number] {
  return elements.reduce(
    ([min, max], element) => [Math.min(min, element[FIRST[axis]]), Math.max(max, element[FIRST[axis]])],
    [Number.POSITIVE_INFINITY, 0] as [number, number],
  );
}

/** Counts an axis from the first plane of the opened file. */
function shift(pixels: RawPixels, axis: StackAxis, by: number, notes: Notes): RawPixels {
  const size = Math.max(1, pixels.sizes[axis]);
  const key = FIRST[axis];
  const moved = pixels.tiffData.map((element) => ({ ...element, [key]: element[key] - by }));
  const inside = moved.filter((element) => element[key] >= 0 && element[key] < size);
  const others = moved.length - inside.length;
  notes.add(
    `The OME-XML says Size${axis}=${grouped(size)}, but the planes of this file start at ${axis} = ${grouped(by)}. ` +
      (others > 0
        ? `Showing those of this file; ${countAre(others, 'plane')} in other files of the set, which open by themselves.`
        : `They are counted from ${axis} = 0.`),
  );
  const channels = axis === 'C' && pixels.channels.length >= by + size ? pixels.channels.slice(by) : pixels.channels;
  const first = { ...pixels.first, [axis]: pixels.first[axis] + by };
  return { ...pixels, channels, tiffData: inside, first };
}
