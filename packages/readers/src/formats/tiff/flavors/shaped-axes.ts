import type { AxisKind, GridAxis } from '../../../model/metadata/mixed-radix.js';
import type { PageLayout } from '../../../tiff/types.js';
import type { ShapedText } from './shaped-text.js';

/** What the dimensions of an array are. */
export interface ShapedAxes {
  /** Axes of the planes, fastest first: the samples of a pixel, if there are several, then the pages. */
  axes: GridAxis[];
  /** Letters of the axes along the rows (usually `Y`) and the columns of a page; empty without any. */
  rows: string;
  columns: string;
  /** True if the samples of a pixel are the components of a color or channels, as for a page without description. */
  areColors: boolean;
  /** What was assumed. */
  notes: string[];
  /** Those of `notes` about axes that the file does not name. */
  assumed: string[];
}

/** Kinds of the axes of pages in an array without letters: YX, ZYX, CZYX, TCZYX. Further axes are scenes. */
const BY_RANK = ['Z', 'C', 'T', 'S'] as const;
/** R is a position, as are tiles (P); S are samples; H, E and L are lifetimes, excitations and emissions. */
const BY_LETTER: Record<string, AxisKind> = {
  C: 'C',
  T: 'T',
  Z: 'Z',
  P: 'S',
  R: 'S',
  S: 'C',
  H: 'C',
  E: 'C',
  L: 'C',
};
const NAMES = { S: 'scenes', C: 'channels', T: 'time points (T)', Z: 'sections (Z)' } as const;

interface LetteredSize {
  size: number;
  letter: string;
}

type PageShape = Pick<PageLayout, 'width' | 'height' | 'samplesPerPixel' | 'planar'>;

/**
 * Returns the axes of an array whose last dimensions are one page, or `undefined` if its shape does not divide into
 * pages. tifffile stores three or four planes as the samples of a page, whatever their axis is. Unknown letters become Z,
 * then T.
 */
export function shapedAxes(text: ShapedText, layout: PageShape): ShapedAxes | undefined {
  const { shape, axes: letters } = text;
  const { samplesPerPixel: samples, planar } = layout;
  const pages = shape.reduce((product, size) => product * size, 1) / (layout.width * layout.height * samples);
  if (!Number.isSafeInteger(pages) || pages < 1) return undefined;
  const dimensions = shape.map((size, index) => ({ size, letter: letters[index] ?? '' }));
  const leading = takeDimensions(dimensions, pages);
  if (!leading) return undefined;
  const page = findPage(dimensions, layout);
  const notes: string[] = [];
  const hasImage = page && isImage(page) && !leading.some(({ size, letter }) => size > 1 && /[XY]/.test(letter));
  if (!hasImage) notes.push(describeMismatch(text));
  const used = leading.filter(({ size }) => size > 1).reverse();
  const sample = samples > 1 ? [{ size: samples, letter: page?.sample ?? '' }] : [];
  const assumed: string[] = [];
  const axes = letters === '' ? rankAxes(sample, used) : letterAxes(sample, used, assumed, text);
  const isUnnamed = letters === '' && (used.length > 0 || (planar && samples > 1));
  if (isUnnamed) assumed.push(describeUnnamed(text, axes));
  const isColor = samples > 1 && axes[0]?.kind === 'C' && !(planar && page?.sample === 'C');
  return {
    axes,
    rows: page?.rows ?? '',
    columns: page?.columns ?? '',
    areColors: isColor,
    notes: [...notes, ...assumed],
    assumed,
  };
}

/** Removes the first dimensions, up to a product of `size`, and returns them. */
function takeDimensions(dimensions: LetteredSize[], size: number): LetteredSize[] | undefined {
  const taken: LetteredSize[] = [];
  let product = 1;
  while (product < size) {
    const next = dimensions.shift();
    if (!next) return undefined;
    taken.push(next);
    product *= next.size;
  }
  return product === size ? taken : undefined;
}

/** Returns the letters of the axes within a page, or `undefined` if the dimensions are not those of the page. */
function findPage(
  rest: LetteredSize[],
  { width, height, samplesPerPixel, planar }: PageShape,
): { sample: string; rows: string; columns: string } | undefined {
  const sizes = planar ? [samplesPerPixel, height, width] : [height, width, samplesPerPixel];
  const [first, second, third] = sizes.map((size) => {
    const taken = takeDimensions(rest, size);
    return taken
      ?.filter((dimension) => dimension.size > 1)
      .map(({ letter }) => letter)
      .join('');
  });
  if (first === undefined || second === undefined || third === undefined) return undefined;
  return planar ? { sample: first, rows: second, columns: third } : { rows: first, columns: second, sample: third };
}

/** Rows may be times (a kymograph) or depths (an x–z scan), and columns times. Axes of one index have no letter. */
function isImage({ sample, rows, columns }: { sample: string; rows: string; columns: string }): boolean {
  if (columns === 'T') return ['', 'X', 'Y', 'Z'].includes(rows);
  return ['', 'Y', 'T', 'Z'].includes(rows) && ['', 'X'].includes(columns) && !/[XY]/.test(sample);
}

function rankAxes(sample: readonly LetteredSize[], pages: readonly LetteredSize[]): GridAxis[] {
  const last = BY_RANK.length - 1;
  return [
    ...sample.map(({ size }): GridAxis => ({ kind: 'C', size })),
    ...pages.map(({ size }, rank): GridAxis => ({ kind: BY_RANK[Math.min(rank, last)]!, size })),
  ];
}

function letterAxes(
  sample: readonly LetteredSize[],
  pages: readonly LetteredSize[],
  assumed: string[],
  text: ShapedText,
): GridAxis[] {
  const taken = new Set([...sample, ...pages].map(({ letter }) => BY_LETTER[letter]));
  const toAxis = ({ size, letter }: LetteredSize): GridAxis => {
    const known = BY_LETTER[letter];
    if (known) return { kind: known, size };
    const free = (['Z', 'T'] as const).find((kind) => !taken.has(kind)) ?? 'S';
    taken.add(free);
    // The warning about the pages covers rows and columns.
    if (/[XY]/.test(letter)) return { kind: free, size };
    assumed.push(
      `The file does not say what axis ${letter} of its array (${describe(text)}) is. Showing ${NAMES[free]}.`,
    );
    return { kind: free, size };
  };
  return [
    // Samples that are rows or columns, or part of several axes, stay channels: the pages do not match anyway.
    ...sample.map(
      (each): GridAxis => (/^([XY]*|..+)$/.test(each.letter) ? { kind: 'C', size: each.size } : toAxis(each)),
    ),
    ...pages.map(toAxis),
  ];
}

function describeUnnamed(text: ShapedText, axes: readonly GridAxis[]): string {
  const shown = axes.map(({ kind, size }) => `${size} ${NAMES[kind]}`).reverse();
  return `The file does not say what the axes of its array (${describe(text)}) are. Showing ${shown.join(' × ')}.`;
}

function describeMismatch(text: ShapedText): string {
  return (
    `The axes of the array (${describe(text)}) do not match the pages, whose rows and columns should run along Y and X. ` +
    'The pages are shown as they are stored.'
  );
}

function describe({ shape, axes }: ShapedText): string {
  return `${axes === '' ? '' : `${axes}, `}${shape.join(' × ')}`;
}
