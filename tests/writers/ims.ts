/** Imaris 5.5 files: attributes as arrays of characters, data padded to whole chunks. */
import { type FilterName, type H5Group, type H5Options, writeHdf5 } from './hdf5.js';
import type { Content, Numbers } from './hdf5-types.js';

export interface ImsSpec extends H5Options {
  size: { X: number; Y: number; Z: number };
  /** Sizes of the arrays; those of the image without it. */
  padded?: { X: number; Y: number; Z: number };
  /** One entry per channel. */
  names: string[];
  timePoints?: number;
  /** Value of a sample. */
  value(channel: number, t: number, z: number, y: number, x: number): number;
  /** Array class of the samples of a channel. */
  type?: (channel: number) => new (length: number) => Exclude<Numbers, BigUint64Array | BigInt64Array>;
  chunks?: [z: number, y: number, x: number];
  filters?: FilterName[];
  /** Further attributes of `DataSetInfo/Channel n`. */
  channelAttributes?: Record<string, string>[];
  /** Attributes of `DataSetInfo/Image`, over X, Y, Z and the extents. */
  image?: Record<string, string>;
  /** `TimePoint1`, … */
  times?: string[];
  /** Channels that a time point lacks. */
  lacks?: { timePoint: number; channel: number };
  /** Attributes as ordinary strings and numbers. */
  plainAttributes?: boolean;
  /** `ImageSizeX` and so on are left out. */
  withoutSizes?: boolean;
}

export function imsTree(spec: ImsSpec): H5Group {
  const { size, names, timePoints = 1 } = spec;
  const text = (value: string): Content => (spec.plainAttributes ? value : { chars: value });
  const texts = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
  const sizes = spec.withoutSizes
    ? {}
    : texts({ ImageSizeX: `${size.X}`, ImageSizeY: `${size.Y}`, ImageSizeZ: `${size.Z}` });
  const channel = (c: number, t: number): H5Group => ({ attrs: sizes, members: { Data: data(spec, c, t) } });
  const timePoint = (t: number): H5Group => ({
    members: Object.fromEntries(
      names.flatMap((_, c) =>
        spec.lacks?.timePoint === t && spec.lacks.channel === c ? [] : [[`Channel ${c}`, channel(c, t)]],
      ),
    ),
  });
  const points = Object.fromEntries(Array.from({ length: timePoints }, (_, t) => [`TimePoint ${t}`, timePoint(t)]));
  const image = { X: `${size.X}`, Y: `${size.Y}`, Z: `${size.Z}`, ...spec.image };
  const times = Object.fromEntries((spec.times ?? []).map((time, i) => [`TimePoint${i + 1}`, time]));
  return {
    attrs: texts({
      ImarisDataSet: 'ImarisDataSet',
      ImarisVersion: '5.5.0',
      DataSetDirectoryName: 'DataSet',
      DataSetInfoDirectoryName: 'DataSetInfo',
    }),
    members: {
      DataSet: { members: { 'ResolutionLevel 0': { members: points } } },
      DataSetInfo: {
        members: {
          Image: { attrs: texts(image) },
          TimeInfo: { attrs: texts({ DatasetTimePoints: `${timePoints}`, ...times }) },
          ...Object.fromEntries(
            names.map((name, c) => [`Channel ${c}`, { attrs: texts({ Name: name, ...spec.channelAttributes?.[c] }) }]),
          ),
        },
      },
    },
  };
}

export function writeIms(spec: ImsSpec): Uint8Array<ArrayBuffer> {
  return writeHdf5(imsTree(spec), spec);
}

function data(spec: ImsSpec, c: number, t: number) {
  const { X, Y, Z } = spec.padded ?? spec.size;
  const { size } = spec;
  const samples = new (spec.type?.(c) ?? Uint16Array)(X * Y * Z);
  for (let z = 0; z < Math.min(Z, size.Z); z++) {
    for (let y = 0; y < Math.min(Y, size.Y); y++) {
      for (let x = 0; x < Math.min(X, size.X); x++) samples[(z * Y + y) * X + x] = spec.value(c, t, z, y, x);
    }
  }
  return {
    data: samples,
    shape: [Z, Y, X],
    ...(spec.chunks ? { chunks: spec.chunks, most: [Z, Y, X] } : {}),
    ...(spec.filters ? { filters: spec.filters } : {}),
  };
}
