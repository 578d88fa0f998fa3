/** Recordings of every kind, small. Samples tell where they are: see each one's formula. */
import {
  type CziAttachment,
  type CziBlock,
  type CziSpec,
  dims,
  hiLo,
  PIXEL_TYPES,
  timeStamps,
  words,
  writeCzi,
  zstd1,
  zstdStored,
} from './czi.js';

const scalingXml = (um: { X?: number; Y?: number; Z?: number }) =>
  `<Scaling><Items>${Object.entries(um)
    .map(([id, value]) => `<Distance Id="${id}"><Value>${value}E-06</Value></Distance>`)
    .join('')}</Items></Scaling>`;

const channelsXml = (names: readonly string[]) =>
  `<Channels>${names.map((name, i) => (name.startsWith('<') ? name : `<Channel Id="Channel:${i}" Name="${name}"/>`)).join('')}</Channels>`;

/** A metadata document of the parts that are given. */
export function cziXml(parts: {
  um?: { X?: number; Y?: number; Z?: number };
  /** Names, or whole elements. */
  channels?: readonly string[];
  dimensions?: string;
  image?: string;
  more?: string;
  /** In UTC (`Z`), as ZEN blue writes it. */
  acquired?: string;
  /** On the local clock, with its offset. */
  created?: string;
}): string {
  const { um = {}, channels = [], dimensions = '', image = '', more = '' } = parts;
  const { acquired = '2024-03-05T09:08:07.1234567Z', created = '2024-03-05T09:08:09.1234567+00:00' } = parts;
  return (
    `<?xml version="1.0" encoding="utf-8"?><ImageDocument><Metadata>${more}<Information>` +
    `<Document><CreationDate>${created}</CreationDate></Document><Image>${image}` +
    `<AcquisitionDateAndTime>${acquired}</AcquisitionDateAndTime><Dimensions>` +
    `${channelsXml(channels)}${dimensions}</Dimensions></Image></Information>${scalingXml(um)}</Metadata></ImageDocument>`
  );
}

/** Sample of the line scans: 100 (c + 1) + 3t + x. */
export const lineSample = (c: number, t: number, x: number) => 100 * (c + 1) + 3 * t + x;

/** Pieces of a line scan: `lines` lines of `columns` pixels in runs of `run` lines; `coded` channels are Zstd, hi-lo. */
export function lineScan(
  lines: number,
  columns: number,
  channels: number,
  run: number,
  options: { coded?: readonly number[]; period?: number; reference?: boolean } = {},
): CziSpec {
  const blocks: CziBlock[] = [];
  for (let c = 0; c < channels; c++) {
    for (let t = 0; t < lines; t += run) {
      const size = Math.min(run, lines - t);
      const raw = words(size * columns, (i) => lineSample(c, t + Math.floor(i / columns), i % columns));
      const coded = options.coded?.includes(c);
      blocks.push({
        dims: dims({ X: columns, T: [t, size], C: [c, 1] }),
        pixelType: PIXEL_TYPES.Gray16,
        compression: coded ? 6 : 0,
        data: coded ? zstd1(zstdStored(hiLo(raw)), true) : raw,
        metadata: t % 2 === 0 ? '<METADATA/>' : '',
      });
    }
  }
  const names = Array.from({ length: channels }, (_, c) => `Ch${c + 1}-T1`);
  const more =
    '<Experiment><AcquisitionModeSetup><ScalingX>2.5E-07</ScalingX><ScalingY>5E-007</ScalingY></AcquisitionModeSetup></Experiment>';
  const laser = '<LaserScanInfo><LineTime>0.00042</LineTime></LaserScanInfo>';
  const attachments: CziAttachment[] = options.reference ? [scanPath(), overview()] : [];
  if (options.period !== undefined) {
    const stamps = Array.from({ length: lines }, (_, t) => 7947.9 + t * (options.period as number));
    attachments.unshift(timeStamps(stamps));
  }
  return { blocks, xml: cziXml({ um: { X: 0.25 }, channels: names, dimensions: laser, more }), attachments };
}

/** Overview of two channels, 40 × 50, 8 bit: 100c + x + y. */
export function overview(): CziAttachment {
  const blocks = [0, 1].map((c) => ({
    dims: dims({ X: 50, Y: 40, C: [c, 1] as const }),
    pixelType: PIXEL_TYPES.Gray8,
    data: Uint8Array.from({ length: 2000 }, (_, i) => 100 * c + (i % 50) + Math.floor(i / 50)),
  }));
  return { type: 'ZISRAW', name: 'Image', payload: writeCzi({ blocks }) };
}

/** 120 vertices: x = (i − 60) · 25 nm, y = i · 50 nm. */
export function scanPath(): CziAttachment {
  const values = Float32Array.from({ length: 240 }, (_, i) => (i < 120 ? (i - 60) * 25e-9 : (i - 120) * 50e-9));
  const data = new Uint8Array(values.buffer);
  const blocks = [{ dims: dims({ X: 120, Y: 2 }), pixelType: PIXEL_TYPES.Gray32Float, data }];
  return { type: 'ZISRAW', name: 'Image', payload: writeCzi({ blocks }) };
}

/** Sample of the stacks: 1000c + 100t + 10z + y + x. */
export const stackSample = (at: { c: number; t: number; z: number }, y: number, x: number) =>
  1000 * at.c + 100 * at.t + 10 * at.z + y + x;

/** Frames of 5 × 7 pixels, two channels, with T and Z. */
export function stack(T: number, Z: number): CziSpec {
  const blocks: CziBlock[] = [];
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z; z++) {
      for (let c = 0; c < 2; c++) {
        blocks.push({
          dims: dims({ X: 7, Y: 5, C: [c, 1], Z: [z, 1], T: [t, 1] }),
          pixelType: PIXEL_TYPES.Gray16,
          data: words(35, (i) => stackSample({ c, t, z }, Math.floor(i / 7), i % 7)),
        });
      }
    }
  }
  const dimensions = '<T><Positions><Interval><Increment>1.5</Increment></Interval></Positions></T>';
  return { blocks, xml: cziXml({ um: { X: 0.1, Y: 0.2, Z: 1.6 }, channels: ['DAPI', 'GFP'], dimensions }) };
}

/** Tiles of 4 × 6 pixels, 8 bit, each filled with its number along M + 1. */
export function mosaic(places: readonly { m: number; x: number; y: number; s?: number }[]): CziSpec {
  const blocks = places.map(({ m, x, y, s = 0 }) => ({
    dims: dims({ X: [x, 6], Y: [y, 4], S: [s, 1], M: [m, 1] }),
    pixelType: PIXEL_TYPES.Gray8,
    data: new Uint8Array(24).fill(m + 1),
  }));
  const scenes = '<S><Scenes><Scene Index="0" Name="TR1"/><Scene Index="1" Name="TR2"/></Scenes></S>';
  return { blocks, xml: cziXml({ um: { X: 0.5, Y: 0.5 }, channels: ['DAPI'], dimensions: scenes }) };
}

/** A color frame of 4 × 3 pixels: R 10x, G 20y, B x + y, A 255 − x. */
export function color(type: 'Bgr24' | 'Bgr48' | 'Bgr96Float' | 'Bgra32'): CziSpec {
  const values: number[] = [];
  for (let i = 0; i < 12; i++) {
    const [x, y] = [i % 4, Math.floor(i / 4)];
    values.push(x + y, 20 * y, 10 * x + y, ...(type === 'Bgra32' ? [255 - x] : []));
  }
  const arrays = { Bgr24: Uint8Array, Bgra32: Uint8Array, Bgr48: Uint16Array, Bgr96Float: Float32Array };
  const data = new Uint8Array(arrays[type].from(values).buffer);
  return { blocks: [{ dims: dims({ X: 4, Y: 3, C: 1 }), pixelType: PIXEL_TYPES[type], data }] };
}
