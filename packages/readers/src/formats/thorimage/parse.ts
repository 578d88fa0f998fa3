/** Parses `Experiment.xml` of ThorImageLS. All attributes are optional: their set depends on the version. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';
import { isSettings } from './magic.js';

export interface ThorChannel {
  name: string;
  gain: number | undefined;
  exposureMs: number | undefined;
}

/** Numbers are as in the file; `undefined` where it has none. */
export interface ThorSettings {
  /** `Wavelengths`, in the order of the file. */
  channels: ThorChannel[];
  /** Bits of the enabled detectors, that of A first. */
  enabled: number | undefined;
  /** `RawData@onlyEnabledChannels`. */
  onlyEnabled: number | undefined;
  isCamera: boolean;
  /** `CaptureMode@mode`: 0 T and Z series, 1 streaming, 3 bleaching, 4 hyperspectral. */
  mode: number | undefined;
  /** `Streaming`, which is left over unless the mode is 1. */
  streaming: Values<'rawData' | 'frames' | 'zFastEnable' | 'flybackFrames'>;
  /** `Photobleaching@rawOption`. */
  bleachRaw: number | undefined;
  zStage: Values<'steps' | 'stepSizeUM'>;
  timelapse: Values<'timepoints' | 'intervalSec'>;
  lsm: Values<(typeof LSM)[number]>;
  camera: Values<'left' | 'right' | 'top' | 'bottom' | 'pixelSizeUM'>;
  magnification: { name: string | undefined; mag: number | undefined };
  date: string;
  /** Seconds since 1970, in UTC. */
  uTime: number | undefined;
  pinholeUm: number | undefined;
  /** `Complete`, `Stopped`. */
  status: string;
  /** Why the XML may lack settings; `undefined` for one that is whole. */
  problem: string | undefined;
}

type Values<Name extends string> = Readonly<Partial<Record<Name, number>>>;

const LSM = [
  ...(['pixelX', 'pixelY', 'pixelSizeUM', 'pixelWidthUM', 'pixelHeightUM', 'widthUM', 'heightUM'] as const),
  ...(['frameRate', 'averageMode', 'averageNum', 'areaMode', 'scanMode', 'dwellTime', 'channel'] as const),
  ...(['timeBasedLineScan', 'tbLineScanTimeMS', 'ThreePhotonEnable', 'NumberOfPlanes'] as const),
] as const;

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function readSettings(source: ByteSource): ThorSettings {
  const text = readSettingsText(source);
  if (!isSettings(source.read(0, Math.min(1024, source.size))))
    throw unsupported('is not the XML of a ThorImage recording');
  return parseSettings(text);
}

/** @throws AcqError `decode_failed` */
export function readSettingsText(source: ByteSource): string {
  if (source.size > LIMITS.sidecarBytes) {
    throw decodeFailed(`the XML has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.sidecarBytes)}`);
  }
  return decodeText(source.read(0, source.size));
}

function parseSettings(text: string): ThorSettings {
  const { root, errors } = parseXml(text);
  const text_ = (element: string, attribute: string) => childNamed(root, element)?.attributes[attribute];
  const number = (element: string, attribute: string) => toNumber(text_(element, attribute));
  const values = <Name extends string>(element: string, names: readonly Name[]): Values<Name> =>
    Object.fromEntries(
      names.flatMap((name) => [[name, number(element, name)]]).filter(([, value]) => value !== undefined),
    );
  const wavelengths = childNamed(root, 'Wavelengths');
  const lsm = values('LSM', LSM);
  return {
    channels: childrenNamed(wavelengths, 'Wavelength').map((each) => toChannel(each, childNamed(root, 'PMT'))),
    enabled: toNumber(childNamed(wavelengths, 'ChannelEnable')?.attributes['Set']) ?? lsm.channel,
    onlyEnabled: number('RawData', 'onlyEnabledChannels'),
    isCamera: number('Modality', 'primaryDetectorType') === 0,
    mode: number('CaptureMode', 'mode'),
    streaming: values('Streaming', ['rawData', 'frames', 'zFastEnable', 'flybackFrames']),
    bleachRaw: number('Photobleaching', 'rawOption'),
    zStage: values('ZStage', ['steps', 'stepSizeUM']),
    timelapse: values('Timelapse', ['timepoints', 'intervalSec']),
    lsm,
    camera: values('Camera', ['left', 'right', 'top', 'bottom', 'pixelSizeUM']),
    magnification: { name: text_('Magnification', 'name'), mag: number('Magnification', 'mag') },
    date: text_('Date', 'date') ?? '',
    uTime: number('Date', 'uTime'),
    pinholeUm: number('PinholeWheel', 'micrometers'),
    status: text_('ExperimentStatus', 'value') ?? '',
    problem: errors.find((error) => !/characters that XML does not allow/.test(error)),
  };
}

/** Channels are named after the detectors A to D, whose settings have the letter in their names. */
function toChannel({ attributes }: XmlElement, pmt: XmlElement | undefined): ThorChannel {
  const name = attributes['name'] ?? '';
  const letter = /^Chan([A-D])$/.exec(name)?.[1];
  return {
    name,
    gain: letter === undefined ? undefined : toNumber(pmt?.attributes[`gain${letter}`]),
    exposureMs: toNumber(attributes['exposureTimeMS']),
  };
}

function toNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text?.trim() && Number.isFinite(value) ? value : undefined;
}
