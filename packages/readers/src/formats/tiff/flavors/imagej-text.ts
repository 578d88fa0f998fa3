/** Function 21 of `ij.measure.Calibration`. */
const UNCALIBRATED_OD = 21;
const MAX_COEFFICIENTS = 5;
/** Axes of SCIFIO that are read; images have up to seven. */
const MAX_AXES = 32;

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
  /** Time from frame to frame, in `tunit`; not 0. */
  frameInterval: number | undefined;
  /** Unit of `finterval`; seconds if missing. */
  tunit: string | undefined;
  /** The rate of *Animate*, at which the stack is played. */
  playbackRate: number | undefined;
  /** Values shown as black and as full intensity, for an image with one channel. */
  min: number | undefined;
  max: number | undefined;
  /** Calibration of the gray values. */
  calibration: ImageJCalibration | undefined;
  /** The axes of SCIFIO, in the order of the pages; none in a file of ImageJ. */
  scifioAxes: ScifioAxis[];
  isScifio: boolean;
}

/** Number of the function (`cf`) with its coefficients, as in `ij.measure.Calibration`; 0 is a line. */
export interface ImageJCalibration {
  kind: number;
  coefficients: number[];
  unit: string | undefined;
}

/** An axis that SCIFIO describes: `axes=X,Y,Z,Time`, `lengths=`, `scales=`, `units=`. */
export interface ScifioAxis {
  label: string;
  length: number | undefined;
  scale: number | undefined;
  unit: string | undefined;
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
  const scifioAxes = toScifioAxes(values);
  return {
    images: count('images'),
    channels: count('channels'),
    slices: count('slices'),
    frames: count('frames'),
    order: toOrder(values.get('order') ?? scifioOrder(scifioAxes)),
    unit: values.get('unit'),
    xunit: values.get('xunit'),
    yunit: values.get('yunit'),
    zunit: values.get('zunit'),
    spacing: spacing === undefined ? undefined : Math.abs(spacing),
    frameInterval: number('finterval') || undefined,
    tunit: values.get('tunit'),
    playbackRate: toPositive(number('fps')),
    min: number('min'),
    max: number('max'),
    calibration: toCalibration(values),
    scifioAxes,
    isScifio: values.has('scifio'),
  };
}

/** ImageJ reads up to five coefficients, and needs two of them. Uncalibrated optical density (21) has none. */
function toCalibration(values: ReadonlyMap<string, string>): ImageJCalibration | undefined {
  const coefficients: number[] = [];
  for (let i = 0; i < MAX_COEFFICIENTS; i++) {
    const value = toNumber(values.get(`c${i}`));
    if (value === undefined) break;
    coefficients.push(value);
  }
  const kind = toNumber(values.get('cf')) ?? 0;
  if (coefficients.length < 2 && kind !== UNCALIBRATED_OD) return undefined;
  return { kind, coefficients, unit: values.get('vunit') };
}

function toScifioAxes(values: ReadonlyMap<string, string>): ScifioAxis[] {
  const list = (key: string) => (values.get(key) ?? '').split(',', MAX_AXES).map((text) => text.trim());
  if (!values.has('axes')) return [];
  const [lengths, scales, units] = [list('lengths'), list('scales'), list('units')];
  return list('axes').map((label, index) => ({
    label,
    length: toCount(lengths[index]),
    scale: toPositive(toNumber(scales[index])),
    unit: units[index],
  }));
}

const SCIFIO_KINDS: Record<string, string> = { Channel: 'c', Z: 'z', Time: 't' };

/** SCIFIO writes planes in the order of its axes, which ImageJ's counts do not tell. Axes that are missing are slowest. */
function scifioOrder(axes: readonly ScifioAxis[]): string | undefined {
  const kinds = axes.flatMap(({ label }) => SCIFIO_KINDS[label] ?? []);
  return kinds.length > 0 ? [...new Set([...kinds, 'c', 'z', 't'])].join('') : undefined;
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

/** A value of 0 means unknown. */
function toPositive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** Parses texts such as `order=zct`, axes from fast to slow. The default, `czct`, is channels, slices, frames. */
function toOrder(text: string | undefined): ('C' | 'Z' | 'T')[] {
  const letters = (text ?? '').toUpperCase();
  const valid = /^[CZT]{3}$/.test(letters) && new Set(letters).size === 3;
  return (valid ? [...letters] : ['C', 'Z', 'T']) as ('C' | 'Z' | 'T')[];
}
