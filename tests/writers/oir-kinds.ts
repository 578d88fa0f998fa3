/** Specs of every kind of recording that OIR files hold; the facts beside them are those of public files. */
import { channelId, type OirScanner, type OirSpec } from './oir.js';

const ONE = [{ id: channelId(1), name: 'CH1', order: '1' }];
const TWO = [...ONE, { id: channelId(2), name: 'CH2', order: '2' }];

/** The one that was not used comes first. */
function scanners(size: number, lineMs: number): OirScanner[] {
  return [
    { type: 'Resonant', width: size, height: size, lineSpeed: 0.063, seriesInterval: 33.3 },
    { type: 'Galvano', width: size, height: size, lineSpeed: lineMs, seriesInterval: lineMs },
  ];
}

const timelapse = (maxSize: number, step: number) => [
  { type: 'TIMELAPSE' as const, start: 0, end: step * (maxSize - 1), step, maxSize },
];

/** 12 bits, different for every place that matters. */
export function kymographSample(c: number, y: number, x: number): number {
  return (c * 1000 + y * 7 + x * 13) % 4096;
}

export function referenceSample(c: number, y: number, x: number): number {
  return (c * 512 + y * 5 + x) % 4096;
}

/** `rows` lines of `width` pixels under one time, with a square overview. */
export function lineScan(rows: number, width: number, reference: number, options: Partial<OirSpec> = {}): OirSpec {
  return {
    width,
    height: reference,
    rows,
    depth: 2,
    bitCounts: 12,
    channels: ONE,
    t: 1,
    sample: (c, _, y, x) => kymographSample(c, y, x),
    bandBytes: 26 * width * 2,
    lengthX: 0.274,
    acquiredAxes: timelapse(rows, 1.142),
    scanners: scanners(reference, 1.142),
    region: '<lsmimage:region><base:coordinates x1="250" y1="236" x2="244" y2="214"/></lsmimage:region>',
    reference: { width: reference, height: reference, sample: referenceSample, defined: true },
    ...options,
  };
}

/** 12-bit, 24 × 30,000 in bands of 26 lines (30 ms), overview 512 × 512, line (250, 236) – (244, 214). */
export const kymograph = (): OirSpec => lineScan(30_000, 24, 512);

/** 16-bit, 74 × 20,000, overview 2048 × 2048, line (369, 920) – (324, 977). */
export const wideKymograph = (): OirSpec =>
  lineScan(20_000, 74, 2048, {
    bitCounts: 16,
    scanners: scanners(2048, 2.118),
    acquiredAxes: timelapse(20_000, 2.118),
    region: '<lsmimage:region><base:coordinates x1="369" y1="920" x2="324" y2="977"/></lsmimage:region>',
  });

/** T5 Z8 C2. */
export const timeDepthSeries = (side = 512): OirSpec => ({
  width: side,
  height: side,
  depth: 2,
  bitCounts: 12,
  channels: TWO,
  t: 5,
  z: 8,
  sample: (c, { t, z }, y, x) => (c * 2000 + t * 300 + z * 20 + y + x) % 4096,
  lengthX: 0.621,
  lengthY: 0.311,
  acquiredAxes: [...timelapse(5, 30_000), { type: 'ZSTACK', start: 6115, end: 6112.2, step: -0.4, maxSize: 8 }],
  scanners: scanners(side, 1),
  positions: ({ t, z }) => ({ TIMELAPSE: t * 30_000 + z * 1100, ZSTACK: 6115 - z * 0.4 }),
});

/** Three channels, one frame; 8 bits. */
export const stillImage = (side = 1024): OirSpec => ({
  width: side,
  height: side,
  depth: 1,
  bitCounts: 8,
  channels: [...TWO, { id: channelId(3), name: 'CH3', order: '3' }],
  z: 1,
  sample: (c, _, y, x) => (c * 50 + y + x) % 256,
  scanners: scanners(side, 1),
});

/** Camera colours: three planes. */
export const colourImage = (): OirSpec => ({
  ...stillImage(32),
  colorType: 'RGB',
  channels: ['R', 'G', 'B'].map((name, i) => ({ id: channelId(i + 1), name, order: String(i + 1) })),
});

/** 5 wavelengths, 4 depths, 2 channels. */
export const lambdaScan = (): OirSpec => ({
  ...timeDepthSeries(16),
  t: 0,
  z: 4,
  lambda: 5,
  sample: (c, { z, lambda }, y, x) => c * 2000 + lambda * 300 + z * 20 + y + x,
  acquiredAxes: [
    { type: 'LAMBDA', start: 500, end: 540, step: 10, maxSize: 5 },
    { type: 'ZSTACK', start: 0, end: 3, step: 1, maxSize: 4 },
  ],
  positions: ({ z, lambda }) => ({ LAMBDA: 500 + lambda * 10, ZSTACK: z }),
});

/** Frames at 2 Hz without an overview. */
export const timeSeries = (count: number, side = 512): OirSpec => ({
  ...timeDepthSeries(side),
  channels: ONE,
  t: count,
  z: 0,
  sample: (_, { t }, y, x) => (t * 11 + y + x) % 4096,
  acquiredAxes: timelapse(count, 500),
  positions: ({ t }) => ({ TIMELAPSE: t * 500 }),
});
