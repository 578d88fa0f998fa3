import type { BrukerFrame, BrukerPlane, BrukerSequence, BrukerSpec } from '../writers/bruker.js';

export const NAME = 'LineScan-01022024-1200-001';

export const STRAIGHT =
  '<PVLinescanDefinition scanContinuous="False" mode="straightLine" SourcePixelsPerLine="8" SourceLinesPerFrame="8">' +
  '<Line startPixelY="3" startPixelX="2" stopPixelX="5" lineLength="1" /><PVLine startPixelY="0.44" startPixelX="0.31" stopPixelX="0.69" />' +
  '</PVLinescanDefinition>';

export const FREEHAND =
  '<PVLinescanDefinition scanContinuous="False" mode="freeHand" SourcePixelsPerLine="8" SourceLinesPerFrame="8">' +
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
  ]
    .map(([x, y]) => `<Freehand x="${x}" y="${y}" />`)
    .join('') +
  '<PVFreehand x="0.1" y="0.1" /><Line lineLength="1" /></PVLinescanDefinition>';

export function planeName(cycle: number, channel: number, index = 1, stem = NAME): string {
  return `${stem}_Cycle${pad(cycle, 5)}_Ch${channel}_${pad(index, 6)}.ome.tif`;
}

function sourceName(cycle: number, channel: number): string {
  return `${NAME}-Cycle${pad(cycle, 5)}_Ch${channel}Source.tif`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** The state of the raster image: 8×8 pixels of 0.25 µm, 2.14 ms a line. */
export const RASTER = {
  linesPerFrame: 8,
  pixelsPerLine: 8,
  scanLinePeriod: 0.00214,
  framePeriod: 0.02,
  micronsPerPixel: { XAxis: 0.25, YAxis: 0.25, ZAxis: 5 },
};

/** The state of the line scan itself: 10 lines of 4 pixels, four passes averaged. */
export const SCAN = { linesPerFrame: 10, pixelsPerLine: 4, scanLinePeriod: 0.008552, framePeriod: 0.02138 };

/** Value of a sample: cycle, channel, frame, row and column are in its digits. */
export function sample(cycle: number, channel: number, index: number, row: number, column: number): number {
  return 10_000 * cycle + 2_000 * channel + 100 * index + 5 * row + column;
}

export function plane(cycle: number, channel: number, index = 1, rows = 10, columns = 4, stem = NAME): BrukerPlane {
  const value = (y: number, x: number) => sample(cycle, channel, index, y, x);
  return { file: planeName(cycle, channel, index, stem), rows, columns, value };
}

export function source(cycle: number, channel: number): BrukerPlane {
  return {
    file: sourceName(cycle, channel),
    rows: 8,
    columns: 8,
    value: (y, x) => 1000 * cycle + 100 * channel + 8 * y + x,
  };
}

/** Straight line scans, a cycle each, with their source images. */
export function lineScan(cycles = 1, channels: number[] = [1], over: Partial<BrukerSpec> = {}): BrukerSpec {
  const numbers = Array.from({ length: cycles }, (_, i) => i + 1);
  return {
    name: NAME,
    state: RASTER,
    sequences: numbers.map((cycle) => ({
      type: 'Linescan',
      cycle,
      time: `16:03:${15 + cycle}.7495347`,
      line: STRAIGHT,
      frames: [
        {
          state: SCAN,
          files: channels.map((channel) => ({
            channel,
            file: planeName(cycle, channel),
            source: sourceName(cycle, channel),
          })),
        },
      ],
    })),
    planes: numbers.flatMap((cycle) => channels.flatMap((channel) => [plane(cycle, channel), source(cycle, channel)])),
    ...over,
  };
}

/** The same, with the first frame of the first sequence changed. */
export function withFrame(spec: BrukerSpec, change: Partial<BrukerFrame>): BrukerSpec {
  const [first, ...rest] = spec.sequences as [BrukerSequence];
  const [frame, ...frames] = first.frames as [BrukerFrame];
  return { ...spec, sequences: [{ ...first, frames: [{ ...frame, ...change }, ...frames] }, ...rest] };
}

const STEM = 'TSeries-01022024-1200-002';

/** Frames of 8×8 pixels: `perCycle` in each of `cycles`, every half second. */
export function series(type: string, perCycle: number, cycles = 1, channels: number[] = [1, 2]): BrukerSpec {
  const planes: BrukerPlane[] = [];
  const sequences: BrukerSequence[] = [];
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const frames: BrukerFrame[] = [];
    for (let index = 1; index <= perCycle; index++) {
      const time = 0.5 * (index - 1);
      const files = channels.map((channel) => ({ channel, file: planeName(cycle, channel, index, STEM) }));
      frames.push({ relativeTime: time, absoluteTime: 2.9 + 60 * (cycle - 1) + time, files });
      for (const channel of channels) planes.push(plane(cycle, channel, index, 8, 8, STEM));
    }
    sequences.push({ type, cycle, frames });
  }
  return { name: STEM, state: RASTER, sequences, planes };
}
