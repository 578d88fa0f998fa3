/** The tree of an Imaris 5.5 file: resolution level 0 and what is said about it, under the vendor's names. */
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import { LIMITS } from '../../io/limits.js';

export interface RawIms {
  /** `/DataSet/ResolutionLevel 0`. */
  level: Hdf5Object;
  /** Numbers of the time points and of the channels of the first of them, ascending. */
  timePoints: number[];
  channels: number[];
  /** `ImageSizeX`, … of the first channel; else X, … of the image; else the size of the dataset. */
  size: { X: number; Y: number; Z: number };
  /** What the channel states of its size and is not taken. */
  misstated: string[];
  /** `ExtMin`, `ExtMax` of each axis and the unit of both. */
  extents: { X: Extent; Y: Extent; Z: Extent };
  unit: string | undefined;
  name: string | undefined;
  recordingDate: string | undefined;
  /** Of `DataSetInfo/Channel n`, by channel. */
  channelNames: (string | undefined)[];
  /** `Color` and `ColorRange` of the same: three numbers from 0 to 1, two values. */
  channelColors: (string | undefined)[];
  channelRanges: (string | undefined)[];
  /** `TimePoint1`, `TimePoint2`, … of `TimeInfo`; one for each time point. */
  times: (string | undefined)[];
}

export interface Extent {
  min: number | undefined;
  max: number | undefined;
}

const AXES = ['X', 'Y', 'Z'] as const;

/** @throws AcqError `unsupported_format` for HDF5 of another kind, `decode_failed` */
export function parseIms(file: Hdf5File): RawIms {
  const { root } = file;
  const dataSet = root.child(root.text('DataSetDirectoryName') || 'DataSet');
  const level = dataSet?.child('ResolutionLevel 0');
  if (!level || !root.attributeNames.includes('ImarisDataSet')) {
    if (root.attributeNames.includes('ImarisDataSet')) {
      throw decodeFailed(`${file.name}: holds no image (DataSet/ResolutionLevel 0); it was not written to its end`);
    }
    throw unsupported(`${file.name}: is not an Imaris file but ${contentsOf(file)}`);
  }
  const timePoints = numbered(level, 'TimePoint');
  const first = level.child(`TimePoint ${timePoints[0]}`);
  const channels = first ? numbered(first, 'Channel') : [];
  const channel = first?.child(`Channel ${channels[0]}`);
  if (!first || !channel || channels.length === 0) {
    throw decodeFailed(`${file.name}: holds no channel of a time point; it was not written to its end`);
  }
  if (channels.length > LIMITS.channels) throw decodeFailed(`${file.name}: has ${channels.length} channels`);
  const info = optional(() => root.child(root.text('DataSetInfoDirectoryName') || 'DataSetInfo'));
  const image = optional(() => info?.child('Image'));
  const timeInfo = optional(() => info?.child('TimeInfo'));
  const described = channels.map((c) => optional(() => info?.child(`Channel ${c}`)));
  const extent = (axis: number): Extent => ({
    min: image?.number(`ExtMin${axis}`),
    max: image?.number(`ExtMax${axis}`),
  });
  return {
    level,
    timePoints,
    channels,
    ...sizeOf(channel, image),
    extents: { X: extent(0), Y: extent(1), Z: extent(2) },
    unit: image?.text('Unit')?.trim(),
    name: image?.text('Name'),
    recordingDate: image?.text('RecordingDate'),
    channelNames: described.map((one) => one?.text('Name')),
    channelColors: described.map((one) => one?.text('Color')),
    channelRanges: described.map((one) => one?.text('ColorRange')),
    times: timePoints.map((_, i) => timeInfo?.text(`TimePoint${i + 1}`)),
  };
}

/** The array of a channel at a time point. @throws AcqError `decode_failed` when it is not in the file */
export function dataOf(level: Hdf5Object, timePoint: number, channel: number): Hdf5Object {
  const data = level.child(`TimePoint ${timePoint}`)?.child(`Channel ${channel}`)?.child('Data');
  if (data?.isDataset && data.dataset.shape.length === 3) return data;
  const what = data ? 'is no volume' : 'is not in the file; the recording was stopped or the file is damaged';
  throw decodeFailed(`${level.file.name}: channel ${channel} of time point ${timePoint} ${what}`);
}

/** Numbers of the members `<prefix> n`; the file sorts them as text. */
function numbered(group: Hdf5Object, prefix: string): number[] {
  const numbers: number[] = [];
  for (const name of group.links.keys()) {
    const match = new RegExp(`^${prefix} (\\d{1,9})$`).exec(name);
    if (match) numbers.push(Number(match[1]));
  }
  return numbers.sort((a, b) => a - b);
}

function sizeOf(channel: Hdf5Object, image: Hdf5Object | undefined): Pick<RawIms, 'size' | 'misstated'> {
  const misstated: string[] = [];
  const shape = channel.child('Data')?.dataset.shape ?? [];
  const size = { X: 0, Y: 0, Z: 0 };
  for (const [i, axis] of AXES.entries()) {
    const there = shape[2 - i] ?? 0;
    const own = channel.number(`ImageSize${axis}`);
    const stated = [own, image?.number(axis)].filter(
      (value): value is number => value !== undefined && Number.isInteger(value) && value >= 1,
    );
    // Arrays are padded, never cut: of two statements the one that fits.
    size[axis] = stated.find((value) => value <= there) ?? stated[0] ?? there;
    if (own !== undefined && own !== size[axis]) misstated.push(`ImageSize${axis} ${own}`);
  }
  return { size, misstated };
}

/** What only describes may be damaged: the pixels are served without it. */
function optional(find: () => Hdf5Object | undefined): Hdf5Object | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
