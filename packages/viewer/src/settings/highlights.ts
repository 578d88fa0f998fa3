/** The settings that people look for first, by the names that each vendor gives them. */
import type { MetadataEntry } from '@acquisition-store/client/contract/vendor-metadata.js';
import { formatNumber } from '../model/number-text.ts';

export interface Highlight {
  readonly label: string;
  readonly value: string;
  /** Names of the entries that it comes from. */
  readonly names: readonly string[];
}

/** Where a setting is. `#` in a name is any number, which tells channels and lasers apart. */
interface SettingSource {
  readonly name: RegExp;
  readonly unit?: string;
  /** Factor to the unit. */
  readonly scale?: number;
  /** Of an entry beside it, in place of the last part of the name: only then it is in use. */
  readonly onlyIf?: readonly [name: string, isUsed: (value: string) => boolean];
}

const SECONDS = { unit: 'µs', scale: 1e6 };
const MICROSECONDS = { unit: 'µs' };
const METERS = { unit: 'nm', scale: 1e9 };
const NANOMETERS = { unit: 'nm' };
const VOLTS = { unit: 'V' };

const isTrue = (value: string) => value === '1' || value === '-1' || value === 'true';
const isPositive = (value: string) => Number(value) > 0;

const LEICA = 'HardwareSetting\\/ATLConfocalSettingDefinition';
const ZEISS = 'Information\\/Image\\/Dimensions\\/Channels\\/Channel[^/]*';
const TRACK = 'Tracks\\/Track\\[\\d+\\]';
const FV1000 = 'Acquisition Parameters Common';

/** For each label the sources of all vendors; the first that a file has is used. */
const SOURCES: readonly (readonly [label: string, ...sources: readonly SettingSource[]])[] = [
  [
    'Objective',
    { name: /^Information\/Instrument[^/]*\/Objectives\/Objective[^/]*\/Manufacturer\/Model$/ },
    { name: /^Information\/Instrument[^/]*\/Objectives\/Objective[^/]*\/Name$/ },
    { name: /^ImageMetadataSeq\/wsObjectiveName$/ },
    { name: at(`${LEICA}\\/ObjectiveName`) },
    { name: /^Objective$/ },
    { name: /^PVStateShard\/objectiveLens$/ },
    { name: /^ImageDescription\/Acquisition Parameters\/Objective Lens$/ },
    { name: /(^|\/)Instrument[^/]*\/Objective[^/]*\/Model$/ },
  ],
  [
    'Numerical aperture',
    { name: /^Information\/Instrument[^/]*\/Objectives\/Objective[^/]*\/LensNA$/ },
    { name: /^ImageMetadataSeq\/dObjectiveNA$/ },
    { name: at(`${LEICA}\\/NumericalAperture`) },
    { name: /^PVStateShard\/objectiveLensNA$/ },
    { name: /(^|\/)Instrument[^/]*\/Objective[^/]*\/LensNA$/ },
  ],
  [
    'Zoom',
    { name: at(`${ZEISS}\\/LaserScanInfo\\/ZoomX`) },
    { name: at(`${LEICA}\\/Zoom`) },
    { name: /^ZoomX$/ },
    { name: at(`${FV1000}\\/ZoomValue`) },
    { name: /^PVStateShard\/opticalZoom$/ },
    { name: /(^|\/)SI\d?\.(hRoiManager\.)?scanZoomFactor$/ },
    { name: /(^|\/)state\.acq\.zoomFactor$/ },
    { name: /^ImageDescription\/Acquisition Parameters\/Zoom Size$/ },
  ],
  [
    'Pixel dwell time',
    { name: at(`${ZEISS}\\/LaserScanInfo\\/PixelTime`), ...SECONDS },
    { name: at(`${LEICA}\\/PixelDwellTime`), ...SECONDS },
    { name: at(`${TRACK}\\/PixelTime`), ...MICROSECONDS, onlyIf: ['Acquire', isTrue] },
    { name: /^PVStateShard\/dwellTime$/, ...MICROSECONDS },
    { name: /(^|\/)SI\.hScan2D\.scanPixelTimeMean$/, ...SECONDS },
    { name: /(^|\/)state\.acq\.pixelTime$/, ...SECONDS },
  ],
  [
    'Laser',
    { name: at(`${ZEISS}\\/LightSourcesSettings\\/LightSourceSettings[^/]*\\/Wavelength`), ...NANOMETERS },
    { name: /^Experiment\/.*\/Attenuators\/Attenuator[^/]*\/Wavelength$/, ...METERS },
    {
      name: at(`${LEICA}\\/AotfList\\/Aotf[^/]*\\/LaserLineSetting[^/]*\\/LaserLine`),
      ...NANOMETERS,
      onlyIf: ['IntensityDev', isPositive],
    },
    {
      name: at(`${TRACK}\\/IlluminationChannels\\/IlluminationChannel\\[\\d+\\]\\/Wavelength`),
      ...NANOMETERS,
      onlyIf: ['Acquire', isTrue],
    },
    { name: at(`${FV1000}\\/LaserWavelength\\d+`), ...NANOMETERS },
    { name: /^PVStateShard\/laserWavelength\/[^/]+$/, ...NANOMETERS },
  ],
  [
    'Detector gain',
    { name: at(`${ZEISS}\\/DetectorSettings\\/Gain`) },
    { name: at(`${LEICA}\\/DetectorList\\/Detector[^/]*\\/Gain`), onlyIf: ['IsActive', isTrue] },
    {
      name: at(`${TRACK}\\/DetectionChannels\\/DetectionChannel\\[\\d+\\]\\/DetectorGainFirst`),
      onlyIf: ['Acquire', isTrue],
    },
    { name: /(^|\/)SI\.hPmts\.gains$/ },
  ],
  [
    'PMT voltage',
    { name: /^GUI Channel \d+ Parameters\/AnalogPMTVoltage$/, ...VOLTS, onlyIf: ['CH Activate', isTrue] },
    { name: /^PVStateShard\/pmtGain\/[^/]+$/, ...VOLTS },
  ],
  ['Exposure', { name: at(`${ZEISS}\\/ExposureTime`), unit: 'ms', scale: 1e-6 }],
];

function at(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

/** Returns the settings that are found by their names; none when a name stands for several different objectives. */
export function findHighlights(entries: readonly MetadataEntry[]): Highlight[] {
  const values = new Map(entries.map(({ name, value }) => [name, value]));
  return SOURCES.flatMap(([label, ...sources]) => {
    for (const source of sources) {
      const matches = entries.filter(
        ({ name, value }) => !EMPTY.has(value) && source.name.test(name) && isUsed(name, source, values),
      );
      const used = label === 'Objective' || label === 'Numerical aperture' ? usedObjective(matches, values) : matches;
      const shown = [...new Set(used.map(({ value }) => toText(value, source)))];
      if (shown.length > 0) return [{ label, value: shown.join(', '), names: used.map(({ name }) => name) }];
    }
    return [];
  });
}

/** Values that say nothing: ScanImage writes an empty list of gains. */
const EMPTY: ReadonlySet<string> = new Set(['', '[]']);

type Values = ReadonlyMap<string, string>;

function isUsed(name: string, { onlyIf }: SettingSource, values: Values): boolean {
  const beside = onlyIf && values.get(`${name.slice(0, name.lastIndexOf('/') + 1)}${onlyIf[0]}`);
  return beside === undefined || onlyIf![1](beside);
}

/** A file of Zeiss lists every objective of the nosepiece, and refers to the one that was used. */
function usedObjective(matches: readonly MetadataEntry[], values: Values): readonly MetadataEntry[] {
  if (matches.length < 2) return matches;
  const id = values.get('Information/Image/ObjectiveSettings/ObjectiveRef/Id');
  return id === undefined ? [] : matches.filter(({ name }) => name.includes(`/${id}/`));
}

function toText(value: string, { unit, scale = 1 }: SettingSource): string {
  const number = Number(value);
  const isNumber = value.trim() !== '' && Number.isFinite(number);
  if (!isNumber) return value.replace(/\s+/g, ' ').trim();
  return `${formatNumber(number * scale, 4)}${unit === undefined ? '' : ` ${unit}`}`;
}
