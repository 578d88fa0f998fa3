import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { FoundOptics } from '../../model/metadata/instrument.js';

/** An axis as the main file describes it, in the file's own units. */
export interface RawOifAxis {
  code: string;
  /** Number of its sections. */
  index: number;
  /** 0 when the axis is not used. */
  maxSize: number;
  start: number | undefined;
  end: number | undefined;
  interval: number | undefined;
  unit: string;
}

export interface RawMain {
  /** Axis letters, fastest first: `XYCZT`, `XTC`. */
  axisOrder: string;
  axes: ReadonlyMap<string, RawOifAxis>;
  scanMode: string;
  date: string;
  /** Behind the second of the date. */
  milliseconds: number | undefined;
  /** Names of the active channels, in order. */
  channelNames: string[];
  /** `LightType` of the same channels: `Fluorescence`, `Transmitted Light`. */
  lightTypes: string[];
  /** Dye, wavelengths and detector of the same channels. */
  optics: FoundOptics[];
  zoom: number | undefined;
  /** Look-up tables of the channels, in order. */
  lutFiles: string[];
  roiFiles: string[];
}

/** A plane file, with the number behind each of its letters. */
export interface RawPlaneName {
  file: string;
  letters: ReadonlyMap<string, number>;
  reference: number | undefined;
}

/** Sections of channels that are looked for; an FV1000 has 8 detectors. */
const MAX_CHANNELS = 64;
/** Numbers of the lasers in use have two digits. */
const MAX_LASERS = 99;
const ACQUISITION = 'Acquisition Parameters Common';
const PLANE_NAME = /(?:^|_)((?:[A-Z]\d{3,})+)(?:-R(\d{3,}))?\.tif$/i;

/** Finds planes and reference images in a list of names: `s_C001Z002T003.tif`, `s_C001-R001.tif`. */
export function parsePlaneNames(names: readonly string[]): RawPlaneName[] {
  const planes: RawPlaneName[] = [];
  for (const file of names) {
    const match = PLANE_NAME.exec(file);
    if (!match) continue;
    const letters = new Map<string, number>();
    for (const part of match[1]!.matchAll(/([A-Z])(\d+)/gi)) {
      letters.set(part[1]!.toUpperCase(), Number(part[2]));
    }
    planes.push({ file, letters, reference: match[2] === undefined ? undefined : Number(match[2]) });
  }
  return planes;
}

export function parseMain(main: OlympusSettings): RawMain {
  const axes = new Map<string, RawOifAxis>();
  for (let i = 0; i < 9; i++) {
    const section = `Axis ${i} Parameters Common`;
    const code = main.text(section, 'AxisCode')?.toUpperCase();
    if (!code) continue;
    axes.set(code, {
      code,
      index: i,
      maxSize: Math.max(0, Math.trunc(main.number(section, 'MaxSize') ?? 0)),
      start: main.number(section, 'StartPosition'),
      end: main.number(section, 'EndPosition'),
      interval: main.number(section, 'Interval'),
      unit: main.text(section, 'UnitName') || main.text(section, 'PixUnit') || '',
    });
  }
  return {
    axisOrder: (main.text('Axis Parameter Common', 'AxisOrder') ?? '').toUpperCase(),
    axes,
    scanMode: (main.text(ACQUISITION, 'ScanMode') ?? '').toUpperCase(),
    // The misspelling is the vendor's; later versions corrected it.
    date: main.text(ACQUISITION, 'ImageCaputreDate') ?? main.text(ACQUISITION, 'ImageCaptureDate') ?? '',
    milliseconds: main.number(ACQUISITION, 'ImageCaputreDate+MilliSec'),
    ...activeChannels(main),
    zoom: main.number(ACQUISITION, 'ZoomValue'),
    lutFiles: numbered(main, 'LutFileName'),
    roiFiles: numbered(main, 'RoiFileName'),
  };
}

/** Returns the channels in the order of their planes: C00k belongs to the k-th active channel of the user interface. */
function activeChannels(main: OlympusSettings): Pick<RawMain, 'channelNames' | 'lightTypes' | 'optics'> {
  const numbers = Array.from({ length: MAX_CHANNELS }, (_, i) => i + 1);
  const active = numbers
    .map((i) => `GUI Channel ${i} Parameters`)
    .filter((section) => main.number(section, 'CH Activate') === 1);
  const plain = numbers
    .map((i) => `Channel ${i} Parameters`)
    .filter((section) => main.text(section, 'CH Name') !== undefined);
  const sections = active.length > 0 ? active : plain;
  const powers = laserPowers(main);
  return {
    channelNames: sections.map((section) => main.text(section, 'CH Name') ?? ''),
    lightTypes: sections.map((section) => main.text(section, 'LightType') ?? ''),
    optics: sections.map((section) => parseOptics(main, section, powers)),
  };
}

/** The software writes `None` without a dye, and 0 without a wavelength. */
function parseOptics(main: OlympusSettings, section: string, powers: ReadonlyMap<number, number>): FoundOptics {
  const dye = main.text(section, 'DyeName') ?? '';
  const excitationNm = main.number(section, 'ExcitationWavelength');
  return {
    fluorophore: /^none$/i.test(dye) ? undefined : dye,
    excitationNm,
    emissionNm: main.number(section, 'EmissionWavelength'),
    gain: findGain(main, section),
    laserPower: powers.get(excitationNm ?? 0),
  };
}

/** Gains are in thousandths: the planes of a file with `AnalogPMTGain=1000` have 1.0. Photons are counted in mode 1. */
function findGain(main: OlympusSettings, section: string): number | undefined {
  const isCounting = main.number(section, 'PMTDetectingMode') === 1;
  const gain = main.number(section, isCounting ? 'CountingPMTGain' : 'AnalogPMTGain');
  return gain === undefined ? undefined : gain / 1000;
}

/** Returns the percents of the lasers in use by their wavelengths in nm: a channel names the wavelength of its laser. */
function laserPowers(main: OlympusSettings): ReadonlyMap<number, number> {
  const powers = new Map<number, number>();
  for (let i = 1; i <= MAX_LASERS; i++) {
    const number = (key: string) => main.number(ACQUISITION, `${key}${String(i).padStart(2, '0')}`);
    const [wavelength, power] = [number('LaserWavelength'), number('LaserTransmissivity')];
    if (wavelength !== undefined && wavelength > 0 && power !== undefined) powers.set(wavelength, power);
  }
  return powers;
}

/** Returns the values of `key0`, `key1`, … up to the first that is missing. */
function numbered(main: OlympusSettings, key: string): string[] {
  const values: string[] = [];
  for (let i = 0; ; i++) {
    const value = main.text('ProfileSaveInfo', `${key}${i}`);
    if (value === undefined) return values;
    values.push(value);
  }
}
