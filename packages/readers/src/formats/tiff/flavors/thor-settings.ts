/** `Experiment.xml` of Thorlabs ThorImageLS: the settings of a recording. All attributes are optional. */
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../../io/xml.js';
import { parseDateTime, toIsoUtc, type WallClock, wallClockOf } from '../../../model/metadata/dates.js';
import { toUnit } from '../../../model/metadata/units.js';

/** Kinds of scans (`LSM@areaMode`) whose rows are lines in time: kymograph, line, polyline. */
const LINE_MODES = new Set([2, 3, 4]);
const STREAMING = 1;
const BIDIRECTIONAL = 0;

export interface ThorSettings {
  /** Names of the channels, such as `ChanA`, in file order. */
  channels: { name: string; gain: number | undefined; exposureSeconds: number | undefined }[];
  /** Micrometers per pixel; `undefined` if unknown. */
  pixel: { x: number | undefined; y: number | undefined };
  /** Width of the image divided by its pixels, rounded: a check of `pixel`. */
  fieldPixel: number | undefined;
  zStep: number | undefined;
  /** Seconds between time points as set; 0 is as fast as possible. */
  interval: number | undefined;
  /** Sections and time points that were planned. */
  planned: { Z: number | undefined; T: number | undefined };
  /** Seconds per row if the rows are lines of a scan. */
  linePeriod: number | undefined;
  isLineScan: boolean;
  clock: WallClock | undefined;
  /** ISO 8601 in UTC. */
  start: string | undefined;
  objective: { name: string | undefined; magnification: number | undefined };
  dwellSeconds: number | undefined;
  bidirectional: boolean | undefined;
  pinholeUm: number | undefined;
}

/** True for the root element; other vendors have an `Experiment.xml` too. */
export function isThorExperiment(text: string): boolean {
  return /^\ufeff?\s*(<\?xml[^>]{0,200}>\s*)?<ThorImageExperiment[\s>]/.test(text.slice(0, 1024));
}

export function parseThorSettings(text: string): ThorSettings {
  const { root } = parseXml(text);
  const number = (element: string, attribute: string) => toNumber(childNamed(root, element)?.attributes[attribute]);
  const isCamera = number('Modality', 'primaryDetectorType') === 0;
  const magnification = number('Magnification', 'mag');
  const seconds = number('Date', 'uTime');
  const lsm = (attribute: string) => (isCamera ? undefined : number('LSM', attribute));
  const isStreaming = number('CaptureMode', 'mode') === STREAMING;
  const cameraPixel = (number('Camera', 'pixelSizeUM') ?? Number.NaN) / (magnification ?? Number.NaN);
  const square = isCamera ? cameraPixel : lsm('pixelSizeUM');
  const isLineScan = LINE_MODES.has(lsm('areaMode') ?? 0);
  return {
    channels: childrenNamed(childNamed(root, 'Wavelengths'), 'Wavelength').map((each) =>
      toChannel(each, root, isCamera),
    ),
    pixel: {
      x: positive(lsm('pixelWidthUM')) ?? positive(square),
      y: positive(lsm('pixelHeightUM')) ?? positive(square),
    },
    fieldPixel: positive((lsm('widthUM') ?? Number.NaN) / (lsm('pixelX') ?? Number.NaN)),
    zStep: positive(Math.abs(number('ZStage', 'stepSizeUM') ?? 0)),
    interval: positive(number('Timelapse', 'intervalSec')),
    // The timepoints of a time series are left over in streaming.
    planned: {
      Z: positive(number('ZStage', 'steps')),
      T: isStreaming ? undefined : positive(number('Timelapse', 'timepoints')),
    },
    linePeriod: isLineScan ? positive(1 / ((lsm('frameRate') ?? 0) * (lsm('pixelY') ?? 0))) : undefined,
    isLineScan,
    clock:
      parseDateTime(childNamed(root, 'Date')?.attributes['date'] ?? '') ??
      (seconds === undefined ? undefined : wallClockOf(1000 * seconds)),
    start: toIsoUtc(seconds ? 1000 * seconds : undefined),
    objective: { name: childNamed(root, 'Magnification')?.attributes['name'], magnification },
    dwellSeconds: toUnit('seconds', lsm('dwellTime'), 'us'),
    bidirectional: lsm('scanMode') === undefined ? undefined : lsm('scanMode') === BIDIRECTIONAL,
    pinholeUm: positive(number('PinholeWheel', 'micrometers')),
  };
}

/** Channels are named after the detectors A to D, whose settings have the letter in their names. */
function toChannel({ attributes }: XmlElement, root: XmlElement | undefined, isCamera: boolean) {
  const name = attributes['name'] ?? '';
  const letter = /^Chan([A-D])$/.exec(name)?.[1];
  const gain = letter === undefined || isCamera ? undefined : childNamed(root, 'PMT')?.attributes[`gain${letter}`];
  const exposure = isCamera ? toNumber(attributes['exposureTimeMS']) : undefined;
  return { name, gain: toNumber(gain), exposureSeconds: toUnit('seconds', exposure, 'ms') };
}

function toNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text?.trim() && Number.isFinite(value) ? value : undefined;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
}
