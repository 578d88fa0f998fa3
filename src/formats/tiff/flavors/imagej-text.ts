/** The `key=value` lines that ImageJ writes as ImageDescription. Counts and distances are numbers. */
export interface ImageJText {
  images: number | undefined;
  channels: number | undefined;
  slices: number | undefined;
  frames: number | undefined;
  /** Page axes, fastest first. */
  order: ('C' | 'Z' | 'T')[];
  unit: string | undefined;
  xunit: string | undefined;
  yunit: string | undefined;
  zunit: string | undefined;
  /** Distance between slices, positive. */
  spacing: number | undefined;
  /** Seconds from frame to frame. */
  frameInterval: number | undefined;
  /** Values shown as black and as full intensity, for an image with one channel. */
  min: number | undefined;
  max: number | undefined;
  /** Coefficients of the density calibration, value = c0 + c1 × stored. */
  calibration: { c0: number; c1: number } | undefined;
}

/** True for descriptions written by ImageJ and Fiji, and by SCIFIO in the same form. */
export function isImageJText(text: string): boolean {
  return /^(ImageJ|SCIFIO)=/.test(text);
}

/** Parses the description. Unknown keys and invalid values are ignored. */
export function parseImageJText(text: string): ImageJText {
  const values = new Map<string, string>();
  for (const line of text.split(/[\r\n]+/)) {
    const equals = line.indexOf('=');
    if (equals > 0) values.set(line.slice(0, equals).trim().toLowerCase(), line.slice(equals + 1).trim());
  }
  const count = (key: string) => toCount(values.get(key));
  const number = (key: string) => toNumber(values.get(key));
  const spacing = number('spacing');
  const [c0, c1] = [number('c0'), number('c1')];
  return {
    images: count('images'),
    channels: count('channels'),
    slices: count('slices'),
    frames: count('frames'),
    order: toOrder(values.get('order')),
    unit: values.get('unit'),
    xunit: values.get('xunit'),
    yunit: values.get('yunit'),
    zunit: values.get('zunit'),
    spacing: spacing === undefined ? undefined : Math.abs(spacing),
    frameInterval: toInterval(number('finterval'), number('fps')),
    min: number('min'),
    max: number('max'),
    calibration: c0 !== undefined && c1 !== undefined ? { c0, c1 } : undefined,
  };
}

function toCount(text: string | undefined): number | undefined {
  const value = toNumber(text);
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Accepts a decimal comma: ImageJ writes numbers in the language of its user. */
function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? value : undefined;
}

/** Returns the seconds per frame. A value of 0 means unknown. */
function toInterval(interval: number | undefined, perSecond: number | undefined): number | undefined {
  if (interval !== undefined && interval > 0) return interval;
  return perSecond !== undefined && perSecond > 0 ? 1 / perSecond : undefined;
}

/** Parses texts such as `order=zct`, axes from fast to slow. The default, `czct`, is channels, slices, frames. */
function toOrder(text: string | undefined): ('C' | 'Z' | 'T')[] {
  const letters = (text ?? '').toUpperCase();
  const valid = /^[CZT]{3}$/.test(letters) && new Set(letters).size === 3;
  return (valid ? [...letters] : ['C', 'Z', 'T']) as ('C' | 'Z' | 'T')[];
}
