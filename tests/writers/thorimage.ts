/** Recordings of ThorImageLS: Experiment.xml, and raw files or a TIFF for each plane. */
import { writeTiff } from './tiff.js';

export interface ThorSpec {
  /** Names of the channels of the set, in the order of `Wavelengths`. */
  channels?: string[];
  sites?: number;
  Z?: number;
  T?: number;
  /** Seconds of a time point: `DeltaT` of its files. */
  stamps?: (t: number) => number | string;
  /** `Timelapse@intervalSec`. */
  interval?: number;
  settings?: Settings;
}

/** Attributes of elements, which replace the usual ones: `LSM: 'areaMode="2"'`. */
type Settings = Partial<Record<(typeof ELEMENTS)[number], string>>;

const ELEMENTS = [
  ...([
    'LSM',
    'ZStage',
    'Timelapse',
    'Date',
    'Magnification',
    'CaptureMode',
    'PMT',
    'Streaming',
    'RawData',
    'Camera',
  ] as const),
  ...(['ChannelEnable', 'Modality', 'Photobleaching', 'ExperimentStatus'] as const),
] as const;

export interface ThorRawSpec {
  /** Letters of the enabled detectors. */
  channels?: string;
  /** All four detectors are in the file; those that are not enabled have the value 60,000. */
  stored?: 'enabled' | 'all';
  /** Sections of a volume with fast Z, and frames after them while the objective returns. */
  Z?: number;
  flyback?: number;
  /** Volumes; frames without depth. */
  T?: number;
  sites?: number;
  columns?: number;
  rows?: number;
  /** The last volumes are zeros, as in a file that was allocated before the recording. */
  zeros?: number;
  /** More attributes of `LSM`. */
  lsm?: string;
  settings?: Settings;
}

/** The value of a sample of a raw file: 50,000 more in frames that are no section. */
export function thorRawValue(at: Record<'row' | 'column' | 'channel' | 't' | 'z', number>, site = 0): number {
  return at.column + 4 * at.row + 1000 * at.channel + 100 * at.z + 10_000 * at.t + 20_000 * site;
}

/** Returns `Experiment.xml` and the raw files of a streaming run, by their names. */
export function writeThorRaw(spec: ThorRawSpec = {}): Record<string, Uint8Array | string> {
  const {
    channels = 'AC',
    Z = 1,
    flyback = 0,
    T = 2,
    sites = 1,
    columns = 4,
    rows = 3,
    lsm = '',
    settings = {},
  } = spec;
  const mask = [...channels].reduce((sum, letter) => sum + 2 ** 'ABCD'.indexOf(letter), 0);
  const usual: Settings = {
    LSM: `scanMode="0" areaMode="0" channel="${mask}" pixelX="${columns}" pixelY="${rows}" pixelSizeUM="0.5" widthUM="${columns / 2}" heightUM="${rows / 2}" dwellTime="0.08" frameRate="30" ${lsm}`,
    Streaming: `enable="1" frames="${T * (Z + flyback)}" rawData="1" zFastEnable="${Z > 1 ? 1 : 0}" flybackFrames="${flyback}"`,
    CaptureMode: 'mode="1"',
    RawData: `onlyEnabledChannels="${spec.stored === 'all' ? 0 : 1}"`,
    ZStage: `steps="${Z}" stepSizeUM="5"`,
    ChannelEnable: `Set="${mask}"`,
    ExperimentStatus: 'value="Complete"',
  };
  const names = [...channels].map((letter) => `Chan${letter}`);
  const files: Record<string, Uint8Array | string> = {
    'Experiment.xml': experimentXml({ settings: { ...usual, ...settings } }, names, { Z, T }),
  };
  for (let site = 0; site < sites; site++) {
    files[`Image_${String(site + 1).padStart(3, '0')}_001.raw`] = rawFrames(spec, site);
  }
  return files;
}

function rawFrames(
  { channels = 'AC', stored, Z = 1, flyback = 0, T = 2, columns = 4, rows = 3, zeros = 0 }: ThorRawSpec,
  site: number,
) {
  const detectors = stored === 'all' ? 'ABCD' : channels;
  const frame = columns * rows;
  const samples = new Uint16Array(T * (Z + flyback) * detectors.length * frame);
  let at = 0;
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z + flyback; z++) {
      for (const letter of detectors) {
        const channel = channels.indexOf(letter);
        for (let i = 0; i < frame; i++) {
          const place = { row: Math.floor(i / columns), column: i % columns, channel, t, z };
          const value = thorRawValue(place, site) + (z >= Z ? 50_000 : 0);
          samples[at++] = t >= T - zeros ? 0 : channel < 0 ? 60_000 : value;
        }
      }
    }
  }
  return new Uint8Array(samples.buffer);
}

/** The value of a plane: digits are site, channel, section and time point, from 0. */
export function thorValue(site: number, channel: number, z: number, t: number): number {
  return 1000 * site + 100 * channel + 10 * z + t;
}

/** Returns the files of a set by their names. Planes of 4 × 3 pixels have their value first, and 5,000 more at each pixel after it. */
export function writeThor(spec: ThorSpec = {}): Record<string, Uint8Array | string> {
  const { channels = ['ChanA', 'ChanB'], sites = 1, Z = 3, T = 3 } = spec;
  const files: Record<string, Uint8Array | string> = { 'Experiment.xml': experimentXml(spec, channels, { Z, T }) };
  const digits = (index: number) => String(index + 1).padStart(4, '0');
  for (let site = 0; site < sites; site++) {
    for (const [c, channel] of channels.entries()) {
      for (let z = 0; z < Z; z++) {
        for (let t = 0; t < T; t++) {
          const name = `${channel}_${digits(site)}_0001_${digits(z)}_${digits(t)}.tif`;
          files[name] = plane(thorValue(site, c, z, t), memberXml(spec, { c, z, t, C: channels.length, Z, T }));
        }
      }
    }
  }
  return files;
}

function plane(value: number, text: string): Uint8Array {
  const tags = [
    { code: 270, type: 2, text },
    { code: 282, type: 5, values: [428_459, 10] },
    { code: 283, type: 5, values: [428_459, 10] },
    { code: 296, type: 3, values: [2] },
  ];
  return writeTiff({
    pages: [{ width: 4, height: 3, samples: Uint16Array.from({ length: 12 }, (_, i) => value + 5_000 * i), tags }],
  });
}

/** Members have the sizes of the whole set, but list only their own plane, by the numbers of the set. */
function memberXml({ stamps = (t) => 2 * t }: ThorSpec, at: Record<'c' | 'z' | 't' | 'C' | 'Z' | 'T', number>): string {
  const sizes = `SizeC="${at.C}" SizeT="${at.T}" SizeX="4" SizeY="3" SizeZ="${at.Z}"`;
  return (
    '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2010-06">' +
    '<Image ID="Image:0" AcquiredDate="2019-11-21T10:15:19.551-00:00">' +
    `<Pixels DimensionOrder="XYCZT" ID="Pixels:0" PhysicalSizeX="0.593" ${sizes} TimeIncrement="0" Type="uint16">` +
    '<Channel ID="Channel:0:0" SamplesPerPixel="1"/><BinData BigEndian="false" Length="0"/>' +
    `<Plane DeltaT="${stamps(at.t)}" TheC="${at.c}" TheZ="${at.z}" TheT="${at.t}"/></Pixels></Image></OME>`
  );
}

function experimentXml(
  { interval = 0, settings = {} }: Pick<ThorSpec, 'interval' | 'settings'>,
  channels: readonly string[],
  { Z, T }: { Z: number; T: number },
): string {
  const usual: Settings = {
    Date: 'date="11/21/2019 11:15:18" uTime="1574331318"',
    Magnification: 'mag="22.2" name="20X OLY"',
    ZStage: `name="ThorZPiezo" steps="${Z}" stepSizeUM="15" enable="1"`,
    Timelapse: `timepoints="${T}" intervalSec="${interval}"`,
    LSM: 'scanMode="1" areaMode="0" channel="3" pixelX="4" pixelY="3" pixelSizeUM="0.593" widthUM="2.37" dwellTime="0.3" frameRate="60"',
    PMT: 'gainA="20" gainB="30"',
    CaptureMode: 'mode="0"',
    Modality: 'name="Multiphoton" primaryDetectorType="1"',
    ...settings,
  };
  const { ChannelEnable, ...others } = usual;
  const enabled = ChannelEnable === undefined ? '' : `<ChannelEnable ${ChannelEnable}/>`;
  const elements = Object.entries(others).map(([name, attributes]) => `<${name} ${attributes}/>`);
  const wavelengths = channels.map((name) => `<Wavelength name="${name}" exposureTimeMS="20"/>`);
  return `<?xml version="1.0"?><ThorImageExperiment><Wavelengths>${wavelengths.join('')}${enabled}</Wavelengths>${elements.join('')}</ThorImageExperiment>`;
}
