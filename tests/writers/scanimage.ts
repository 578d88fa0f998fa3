/** Header texts and sample files as ScanImage writes them. */
import { type TagSpec, writeTiff } from './tiff.js';

export type HeaderValues = Record<string, string | number>;

/** `prefix.key = value` lines; values are MATLAB literals. */
export function scanimageText(values: HeaderValues, prefix = 'SI.'): string {
  return Object.entries(values)
    .map(([key, value]) => `${prefix}${key} = ${value}\n`)
    .join('');
}

/** 3.x: `state.key=value`, lines ended by CR. */
export function scanimage3Text(values: HeaderValues): string {
  return Object.entries(values)
    .map(([key, value]) => `state.${key}=${value}\r`)
    .join('');
}

/** Description of one frame (5.2 and later), padded with blanks as in real files. */
export function frameText(frame: number, seconds: number, padded = 2000): string {
  const lines = [
    `frameNumbers = ${frame}`,
    'acquisitionNumbers = 1',
    `frameTimestamps_sec = ${seconds.toFixed(9)}`,
    'epoch = [2023  4 13 17 45 2.164]',
    'auxTrigger0 = []',
    '',
  ];
  return lines.join('\n').padEnd(padded, ' ');
}

export const asciiTag = (code: number, text: string): TagSpec => ({ code, type: 2, text });

/** The fixed header of BigTIFFs (2016 and later), which stands at offset 16: magic, version, two lengths, two texts. */
export function fixedHeader(text: string, json: string): Uint8Array {
  const body = new TextEncoder().encode(`${text}\0${json}\0`);
  const bytes = new Uint8Array(16 + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 117637889, true);
  view.setUint32(4, 4, true);
  view.setUint32(8, new TextEncoder().encode(text).length + 1, true);
  view.setUint32(12, new TextEncoder().encode(json).length + 1, true);
  bytes.set(body, 16);
  return bytes;
}

/** `.meta.txt` of an arbitrary line scan. */
export function alsMeta(values: HeaderValues, json = '{"RoiGroups":{}}'): string {
  return `${scanimageText(values)}\n${json}\n`;
}

/** `.pmt.dat`: little-endian int16. */
export function alsSamples(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) view.setInt16(i * 2, values[i] as number, true);
  return bytes;
}

/** One frame: its numbers and time stamp, and the value of all its samples. */
export interface FrameSpec {
  number: number;
  value: number;
  /** 0.05 s × (number − 1) when omitted. */
  seconds?: number;
  /** Number in its own acquisition, and the number of that; the first acquisition when omitted. */
  inAcquisition?: number;
  acquisition?: number;
  epoch?: string;
}

/** Lines of 5.0 and version 4, in front of the header, those of 5.2 and later, or JSON. */
type FrameStyle = 'spaced' | 'camel' | 'json';

/** A file of one channel whose frames are 2 lines × 4 pixels. The header is in each page, where the version has it. */
export function scanimageFrames(
  values: HeaderValues,
  frames: readonly FrameSpec[],
  { style = 'camel', big = false }: { style?: FrameStyle; big?: boolean } = {},
): Uint8Array {
  const description = ({ number, seconds = 0.05 * (number - 1), inAcquisition, acquisition = 1, epoch }: FrameSpec) => {
    const lines = [
      ['frameNumbers', number],
      ['acquisitionNumbers', acquisition],
      ['frameNumberAcquisition', inAcquisition ?? number],
      ['frameTimestamps_sec', seconds.toFixed(6)],
      ...(epoch === undefined ? [] : [['epoch', epoch]]),
    ];
    if (style === 'json') return `{\n${lines.map(([key, value]) => `  "${key}": ${value}`).join(',\n')}\n}`;
    if (style === 'camel') return lines.map(([key, value]) => `${key} = ${value}\n`).join('');
    const header = scanimageText(values, 'scanimage.SI4.');
    return `Frame Number = ${number}\nFrame Timestamp(s) = ${seconds.toFixed(9)}\n${header}`;
  };
  const fixed = big ? fixedHeader(scanimageText(values), '{}') : undefined;
  const bytes = writeTiff({
    big,
    headerGap: fixed?.length ?? 0,
    pages: frames.map((frame) => ({
      width: 4,
      height: 2,
      samples: new Int16Array(8).fill(frame.value),
      tags: [
        asciiTag(270, description(frame)),
        ...(style !== 'spaced' && !big ? [asciiTag(305, scanimageText(values))] : []),
      ],
    })),
  });
  if (fixed) bytes.set(fixed, 16);
  return bytes;
}

/** A region of interest: pixels, extents in degrees, depths of its fields. */
export interface RegionSpec {
  name: string;
  pixels: [x: number, y: number];
  degrees: [x: number, y: number];
  /** One for each of its fields. */
  zs?: number[];
  isDiscrete?: boolean;
  enable?: number;
}

/** The RoiGroups JSON. A list of one is written as its element, as MATLAB does. */
function regionsJson(regions: readonly RegionSpec[]): string {
  const single = <T>(list: T[]) => (list.length === 1 ? list[0] : list);
  const rois = regions.map(({ name, pixels, degrees, zs = [0], isDiscrete = false, enable = 1 }) => ({
    ...{ ver: 1, name, enable, zs: single(zs), discretePlaneMode: isDiscrete ? 1 : 0 },
    scanfields: single(
      zs.map(() => ({ enable: 1, centerXY: [0, 0], sizeXY: degrees, rotationDegrees: 0, pixelResolutionXY: pixels })),
    ),
  }));
  return JSON.stringify({ RoiGroups: { imagingRoiGroup: { rois: single(rois) }, photostimRoiGroups: null } });
}

/** The value of a sample of a region. */
export const regionSample = (region: number, frame: number, y: number, x: number) =>
  1000 * (region + 1) + 100 * frame + 10 * y + x;

/** Value of the lines between regions. */
const FLYING = -9;

/**
 * A BigTIFF of regions of interest one below the other.
 * @param shown regions of each frame
 */
export function regionFrames(
  values: HeaderValues,
  regions: readonly RegionSpec[],
  {
    shown,
    height,
    between,
    json = regionsJson(regions),
  }: { shown: number[][]; height: number; between: number; json?: string },
): Uint8Array {
  const width = regions[0]!.pixels[0];
  const fixed = fixedHeader(scanimageText(values), json);
  const pages = shown.map((inFrame, frame) => {
    const samples = new Int16Array(width * height).fill(FLYING);
    let row = 0;
    for (const region of inFrame) {
      const [, rows] = regions[region]!.pixels;
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < width; x++) samples[(row + y) * width + x] = regionSample(region, frame, y, x);
      row += rows + between;
    }
    const text = [
      ['frameNumbers', frame + 1],
      ['acquisitionNumbers', 1],
      ['frameNumberAcquisition', frame + 1],
      ['frameTimestamps_sec', (0.1 * frame).toFixed(6)],
    ];
    const description = text.map(([key, value]) => `${key} = ${value}\n`).join('');
    const header = [asciiTag(305, scanimageText(values)), asciiTag(315, json)];
    return { width, height, samples, tags: [asciiTag(270, description), ...(frame === 0 ? header : [])] };
  });
  const bytes = writeTiff({ big: true, headerGap: fixed.length, pages });
  bytes.set(fixed, 16);
  return bytes;
}
