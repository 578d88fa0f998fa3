/** A small stack of known samples for tests of the viewer. */
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';
import { writeTemp } from './temp.js';

export const STACK = { T: 14, Z: 3, C: 2, Y: 24, X: 32 } as const;
/** Seconds, µm between sections, µm between pixels. */
export const STEPS = { T: 0.5, Z: 2, pixel: 0.25 } as const;

/** A spot that moves with T and grows with Z, over a slope; the second channel is half as bright. */
export function stackValue(t: number, z: number, c: number, y: number, x: number): number {
  const spot = Math.abs(x - 4 - 2 * t) <= 2 + z && Math.abs(y - 12) <= 3 ? 800 : 0;
  return Math.round((100 + 10 * t + 3 * x + y + spot) / (c + 1));
}

/** Returns the samples of a plane, row after row. */
function stackPlane(t: number, z: number, c: number): Float64Array {
  return Float64Array.from({ length: STACK.Y * STACK.X }, (_, i) =>
    stackValue(t, z, c, Math.floor(i / STACK.X), i % STACK.X),
  );
}

interface StackFile {
  name?: string;
  calibrated?: boolean;
  /** Seconds of each time point, as time stamps of its planes. */
  times?: readonly number[];
}

/** Writes the stack as OME-TIFF, with or without steps. */
export function stackFile(
  folder: string,
  { name = 'stack.ome.tif', calibrated = true, times = [] }: StackFile = {},
): string {
  const { T, Z, C, Y, X } = STACK;
  const pages = [];
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z; z++) {
      for (let c = 0; c < C; c++) pages.push({ width: X, height: Y, samples: Uint16Array.from(stackPlane(t, z, c)) });
    }
  }
  const channels = ['Calcium', 'Dye'].map((channel, i) => `<Channel ID="Channel:0:${i}" Name="${channel}"/>`);
  const stamps = times.map((time, t) => `<Plane TheC="0" TheZ="0" TheT="${t}" DeltaT="${time}"/>`);
  const pixels = {
    ...{ PhysicalSizeX: STEPS.pixel, PhysicalSizeXUnit: 'µm', PhysicalSizeY: STEPS.pixel, PhysicalSizeYUnit: 'µm' },
    ...{ PhysicalSizeZ: STEPS.Z, PhysicalSizeZUnit: 'µm', TimeIncrement: STEPS.T, TimeIncrementUnit: 's' },
  };
  const image = { sizes: STACK, pixels: calibrated ? pixels : {}, children: [...channels, '<TiffData/>', ...stamps] };
  const [first, ...rest] = pages;
  if (!first) throw new Error('the stack has no page');
  const text = new TextEncoder().encode(`${omeXml({ images: [image] })}\0`);
  const described = { ...first, tags: [{ code: 270, type: 2, bytes: text }] };
  return writeTemp(folder, name, writeTiff({ pages: [described, ...rest] }));
}
