import type { AxisKind, GridAxis } from '../../../metadata/mixed-radix.js';

/** The description that tifffile writes to the first page of an array. */
export interface ShapedText {
  /** Shape of the whole array; all sizes are at least 1. */
  shape: number[];
  /** One letter per dimension, or empty. */
  axes: string;
  /** Seconds from frame to frame. */
  frameInterval: number | undefined;
  spacing: number | undefined;
  unit: string | undefined;
}

/** Parses `{"shape": [5, 512, 512], …}`, or `shape=(5,512,512)` of old versions; `undefined` for anything else. */
export function parseShapedText(text: string): ShapedText | undefined {
  const old = /^shape=\(([\d,\sL]{1,500})\)\s*$/.exec(text);
  if (old) return toShapedText({ shape: old[1]!.split(',').map((size) => Number.parseInt(size, 10)) }, true);
  if (!/^\s*\{\s*"/.test(text) || !text.slice(0, 2_000).includes('"shape"')) return undefined;
  try {
    return toShapedText(JSON.parse(text) as unknown, false);
  } catch {
    return undefined;
  }
}

function toShapedText(parsed: unknown, isOld: boolean): ShapedText | undefined {
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const fields = parsed as Record<string, unknown>;
  const sizes = fields['shape'];
  if (!Array.isArray(sizes)) return undefined;
  const shape = sizes.filter((size) => !(isOld && Number.isNaN(size)));
  if (shape.length === 0 || shape.length > 16) return undefined;
  if (!shape.every((size) => Number.isSafeInteger(size) && size >= 1)) return undefined;
  const axes = fields['axes'];
  const number = (key: string) => (typeof fields[key] === 'number' ? (fields[key] as number) : undefined);
  const [interval, perSecond] = [number('finterval'), number('fps')];
  const fits = typeof axes === 'string' && axes.length === shape.length;
  return {
    shape,
    axes: fits ? axes.toUpperCase() : '',
    frameInterval: interval ?? (perSecond === undefined ? undefined : 1 / perSecond),
    spacing: number('spacing'),
    unit: typeof fields['unit'] === 'string' ? fields['unit'] : undefined,
  };
}

/** Kinds of the leading axes of an array without letters: YX, ZYX, CZYX, TCZYX. Further axes are scenes. */
const BY_RANK = ['Z', 'C', 'T', 'S'] as const;
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

/**
 * Returns the page axes of an array, fastest first, if its last dimensions are one page of `pageSamples` samples, or
 * `undefined` if the shape does not divide into pages. Unknown letters become Z, then T.
 */
export function shapedAxes(text: ShapedText, pageSamples: number): GridAxis[] | undefined {
  const { shape, axes } = text;
  const total = shape.reduce((product, size) => product * size, 1);
  const pages = total / pageSamples;
  if (!Number.isSafeInteger(pages) || pages < 1) return undefined;
  let leading = 0;
  let product = 1;
  while (leading < shape.length && product < pages) product *= shape[leading++]!;
  if (product !== pages) return undefined;
  const sizes = shape.slice(0, leading).map((size, index) => ({ size, letter: axes[index] ?? '' }));
  const used = sizes.filter(({ size }) => size > 1);
  const taken = new Set(used.map(({ letter }) => BY_LETTER[letter]));
  return used.reverse().map(({ size, letter }, rank) => {
    if (axes === '') return { kind: BY_RANK[Math.min(rank, BY_RANK.length - 1)]!, size };
    const known = BY_LETTER[letter];
    if (known) return { kind: known, size };
    const free = (['Z', 'T'] as const).find((kind) => !taken.has(kind)) ?? 'S';
    taken.add(free);
    return { kind: free, size };
  });
}
