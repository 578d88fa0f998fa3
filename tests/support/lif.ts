import { reader } from '../../packages/readers/src/formats/lif/index.js';
import { type ByteSource, MemorySource } from '../../packages/readers/src/io/byte-source.js';
import type { Acquisition, OpenInput } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { folderOnDisk } from '../../packages/server/src/platform-node/files.js';
import type { LifChannel, LifDimension, LifImageSpec } from '../writers/lif.js';

/** Writes every sample at the address that the increments give, as the format defines it. */
export function filled(
  size: number,
  sampleBytes: 1 | 2,
  channels: LifChannel[],
  dimensions: LifDimension[],
  value: (channel: number, at: Record<number, number>) => number,
): Uint8Array {
  const data = new Uint8Array(size);
  const view = new DataView(data.buffer);
  for (const [c, channel] of channels.entries()) {
    const total = dimensions.reduce((all, { count }) => all * count, 1);
    for (let n = 0; n < total; n++) {
      let rest = n;
      let address = channel.bytesInc;
      const at: Record<number, number> = {};
      for (const { id, count, bytesInc } of dimensions) {
        at[id] = rest % count;
        address += (rest % count) * bytesInc;
        rest = Math.floor(rest / count);
      }
      if (sampleBytes === 1) view.setUint8(address, value(c, at));
      else view.setUint16(address, value(c, at), true);
    }
  }
  return data;
}

/** Returns `count` × `each` time stamps, `seconds` apart, from 2021-03-04 16:39:17.951 UTC. */
export function stampsEvery(count: number, each: number, seconds: number): string[] {
  const stamps: string[] = [];
  for (let i = 0; i < count; i++) {
    const value = 0x1d71114eb8b44f0n + BigInt(Math.round(i * seconds * 1e7));
    for (let k = 0; k < each; k++) stamps.push(value.toString(16));
  }
  return stamps;
}

/** The fact sheet's vector: a line scan of 4 pixels × 3 lines, channels 0…11 and 100…111, 12 bit. */
export function lineVector(over: Partial<LifImageSpec> = {}): LifImageSpec {
  const data = new Uint8Array(Uint16Array.from({ length: 24 }, (_, i) => (i < 12 ? i : 88 + i)).buffer);
  return {
    name: 'Series001',
    channels: [
      { bytesInc: 0, resolution: 12, lut: 'Green' },
      { bytesInc: 24, resolution: 12, lut: 'Red' },
    ],
    dimensions: [
      { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
      { id: 4, count: 3, length: '5.0e-3', unit: 's', bytesInc: 8 },
    ],
    data,
    settings: { ScanMode: 'xt', LineTime: '0.0025', ScanSpeed: '400' },
    ...over,
  };
}

/** A series: X 5, Y 4, two channels, Z 3, T 2 in this memory order; value 60·c + 24·t + 8·z + 2·y + x (8 bit). */
export function seriesVector(over: Partial<LifImageSpec> = {}): LifImageSpec {
  const channels = [
    { bytesInc: 0, lut: 'Green' },
    { bytesInc: 20, lut: 'Red' },
  ];
  const dimensions = [
    { id: 1, count: 5, length: '1.2e-6', bytesInc: 1 },
    { id: 2, count: 4, length: '6.0e-7', bytesInc: 5 },
    { id: 3, count: 3, length: '-4.0e-6', bytesInc: 40 },
    { id: 4, count: 2, length: '1.5', unit: 's', bytesInc: 120 },
  ];
  return { name: 'Series002', channels, dimensions, data: filled(240, 1, channels, dimensions, seriesValue), ...over };
}

function seriesValue(c: number, at: Record<number, number>): number {
  return 60 * c + 24 * (at[4] ?? 0) + 8 * (at[3] ?? 0) + 2 * (at[2] ?? 0) + (at[1] ?? 0);
}

/** Settings with which both a frame and a line scan were recorded. */
export const FIELD = {
  ObjectiveNumber: '11506353',
  ObjectiveName: 'HC PL APO CS2 63x/1.30 GLYC',
  StagePosX: '0.03462093930532',
  StagePosY: '0.01474305397499',
  ZPosition: '1.4664631328599E-10',
  PanFirstDim: '8.67361737988404E-19',
  PanSecondDim: '4.41336526552075E-06',
  RotatorAngle: '0',
  FlipX: '0',
  FlipY: '1',
  SwapXY: '1',
};

/** An overview of 9 × 7 pixels, 8 bit, value 10·y + x, 16 µm wide. */
export function overview(over: Partial<LifImageSpec> = {}): LifImageSpec {
  const channels = [{ bytesInc: 0, lut: 'Green' }];
  const dimensions = [
    { id: 1, count: 9, length: '1.6e-5', bytesInc: 1 },
    { id: 2, count: 7, length: '1.2e-5', bytesInc: 9 },
  ];
  const data = filled(63, 1, channels, dimensions, (_, at) => 10 * (at[2] ?? 0) + (at[1] ?? 0));
  return { name: 'Overview', channels, dimensions, data, settings: { ScanMode: 'xyz', ...FIELD }, ...over };
}

/** Opens a file in memory. */
export function openBytes(bytes: Uint8Array | ByteSource, name = 'demo.lif', folder = folderOnDisk('/nowhere')) {
  const source = bytes instanceof Uint8Array ? new MemorySource(name, bytes) : bytes;
  const head = source.read(0, Math.min(4096, source.size));
  const probe: OpenInput['probe'] = { name, kind: 'file', head, entries: [], size: source.size };
  return reader.open({ probe, source, folder });
}

/** Reads one plane as rows of numbers. */
export async function rowsOf(acquisition: Acquisition, scene: number, channel: number, at = {}): Promise<number[][]> {
  const info = acquisition.info.scenes[scene]!;
  const { Y, X } = info.sizes;
  const target = new NativeTarget(info.sampleType, Y, X);
  await acquisition.readPlane({ scene, channel, t: 0, z: 0, ...at }, target);
  const all = Array.from(target.data, Number);
  return Array.from({ length: Y }, (_, y) => all.slice(y * X, (y + 1) * X));
}
