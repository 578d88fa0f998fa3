/** TIFF series of ThorImageLS: one file per plane, and Experiment.xml. */
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
  /** More attributes of elements, which replace the usual ones: `LSM: 'areaMode="2"'`. */
  settings?: Partial<Record<'LSM' | 'ZStage' | 'Timelapse' | 'Date' | 'Magnification' | 'CaptureMode' | 'PMT', string>>;
}

/** The value of a plane: digits are site, channel, section and time point, from 0. */
export function thorValue(site: number, channel: number, z: number, t: number): number {
  return 1000 * site + 100 * channel + 10 * z + t;
}

/** Returns the files of a set by their names. Planes of 4 × 3 pixels have one value. */
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
  return writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12).fill(value), tags }] });
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
  { interval = 0, settings = {} }: ThorSpec,
  channels: readonly string[],
  { Z, T }: { Z: number; T: number },
): string {
  const element = (name: keyof NonNullable<ThorSpec['settings']>, usual: string) =>
    `<${name} ${settings[name] ?? usual}/>`;
  return (
    '<?xml version="1.0"?><ThorImageExperiment>' +
    element('Date', 'date="11/21/2019 11:15:18" uTime="1574331318"') +
    element('Magnification', 'mag="22.2" name="20X OLY"') +
    `<Wavelengths>${channels.map((name) => `<Wavelength name="${name}" exposureTimeMS="0"/>`).join('')}</Wavelengths>` +
    element('ZStage', `name="ThorZPiezo" steps="${Z}" stepSizeUM="15" enable="1"`) +
    element('Timelapse', `timepoints="${T}" intervalSec="${interval}"`) +
    element(
      'LSM',
      'scanMode="1" areaMode="0" channel="3" pixelX="4" pixelY="3" pixelSizeUM="0.593" widthUM="2.37" dwellTime="0.3" frameRate="60"',
    ) +
    element('PMT', 'gainA="20" gainB="30"') +
    element('CaptureMode', 'mode="0"') +
    '<Modality name="Multiphoton" primaryDetectorType="1"/></ThorImageExperiment>'
  );
}
