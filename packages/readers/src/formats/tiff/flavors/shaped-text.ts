/** The description that tifffile writes to the first page of an array. */
export interface ShapedText {
  /** Shape of the whole array; all sizes are at least 1. */
  shape: number[];
  /** One letter per dimension, or empty. */
  axes: string;
  /** Time from frame to frame, in `tunit`. */
  frameInterval: number | undefined;
  tunit: string | undefined;
  /** Frames per second: unlike in ImageJ, which plays stacks at this rate, the writer of the array states it. */
  frameRate: number | undefined;
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
  const string = (key: string) => (typeof fields[key] === 'string' ? fields[key] : undefined);
  const fits = typeof axes === 'string' && axes.length === shape.length;
  return {
    shape,
    axes: fits ? axes.toUpperCase() : '',
    frameInterval: number('finterval'),
    tunit: string('tunit'),
    frameRate: number('fps'),
    spacing: number('spacing'),
    unit: string('unit'),
  };
}
