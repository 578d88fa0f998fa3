/** Parses the tree of an Imaris 5.5 file: resolution level 0 and its metadata, under the vendor's names. */
import { decodeFailed, ignoreCorrupted, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import type { RawImsInstrument } from './instrument.js';

export interface RawIms {
  /** `/DataSet/ResolutionLevel 0`. */
  level: Hdf5Object;
  /** Numbers of the time points, and of the channels of the first time point, ascending. */
  timePoints: number[];
  channels: number[];
  /** `ImageSizeX`, … of the first channel; else X, … of the image; else the size of the dataset. */
  size: { X: number; Y: number; Z: number };
  /** Sizes of the channel that do not match its array, as `ImageSizeX 512`. */
  ignoredSizes: string[];
  /** `ExtMin` and `ExtMax` of each axis, and their unit. */
  extents: { X: ImsExtent; Y: ImsExtent; Z: ImsExtent };
  unit: string | undefined;
  name: string | undefined;
  recordingDate: string | undefined;
  /** Of `DataSetInfo/Channel n`, by channel. */
  channelNames: (string | undefined)[];
  /** `Color` and `ColorRange` of the same: three numbers from 0 to 1, two values. */
  channelColors: (string | undefined)[];
  channelRanges: (string | undefined)[];
  instrument: RawImsInstrument;
  /** `TimePoint1`, `TimePoint2`, … of `TimeInfo`; one for each time point. */
  times: (string | undefined)[];
}

export interface ImsExtent {
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
      throw decodeFailed(
        'contains no image (DataSet/ResolutionLevel 0 is missing); the recording was probably interrupted',
      );
    }
    throw unsupported(`is not an Imaris file but ${contentsOf(file)}`);
  }
  const timePoints = numbered(level, 'TimePoint');
  const first = level.child(`TimePoint ${timePoints[0]}`);
  const channels = first ? numbered(first, 'Channel') : [];
  const channel = first?.child(`Channel ${channels[0]}`);
  if (!first || !channel || channels.length === 0) {
    throw decodeFailed('the first time point contains no channel; the recording was probably interrupted');
  }
  if (channels.length > LIMITS.channels) {
    throw decodeFailed(`lists ${grouped(channels.length)} channels; the limit is ${grouped(LIMITS.channels)}`);
  }
  const info = ignoreCorrupted(() => root.child(root.text('DataSetInfoDirectoryName') || 'DataSetInfo'));
  const image = ignoreCorrupted(() => info?.child('Image'));
  const timeInfo = ignoreCorrupted(() => info?.child('TimeInfo'));
  const described = channels.map((number) => ignoreCorrupted(() => info?.child(`Channel ${number}`)));
  const extent = (axis: number): ImsExtent => ({
    min: image?.number(`ExtMin${axis}`),
    max: image?.number(`ExtMax${axis}`),
  });
  return {
    level,
    timePoints,
    channels,
    ...pickSize(channel, image),
    extents: { X: extent(0), Y: extent(1), Z: extent(2) },
    unit: image?.text('Unit')?.trim(),
    name: image?.text('Name'),
    recordingDate: image?.text('RecordingDate'),
    channelNames: described.map((info) => info?.text('Name')),
    channelColors: described.map((info) => info?.text('Color')),
    channelRanges: described.map((info) => info?.text('ColorRange')),
    instrument: readInstrument(image, described),
    times: timePoints.map((_, i) => timeInfo?.text(`TimePoint${i + 1}`)),
  };
}

/** Returns the array of a channel at a time point. @throws AcqError `decode_failed` when it is missing */
export function findArray(level: Hdf5Object, timePoint: number, channel: number): Hdf5Object {
  const data = level.child(`TimePoint ${timePoint}`)?.child(`Channel ${channel}`)?.child('Data');
  if (data?.isDataset && data.dataset.shape.length === 3) return data;
  const what = data ? 'does not have 3 dimensions' : 'is missing; the recording was stopped or the file is corrupted';
  throw decodeFailed(`channel ${channel} of time point ${grouped(timePoint)} ${what}`);
}

/** Returns the numbers of the members `<prefix> n`, ascending. The file sorts them as text. */
function numbered(group: Hdf5Object, prefix: string): number[] {
  const numbers: number[] = [];
  for (const name of group.links.keys()) {
    const match = new RegExp(`^${prefix} (\\d{1,9})$`).exec(name);
    if (match) numbers.push(Number(match[1]));
  }
  return numbers.sort((a, b) => a - b);
}

function pickSize(channel: Hdf5Object, image: Hdf5Object | undefined): Pick<RawIms, 'size' | 'ignoredSizes'> {
  const ignoredSizes: string[] = [];
  const shape = channel.child('Data')?.dataset.shape ?? [];
  const size = { X: 0, Y: 0, Z: 0 };
  for (const [i, axis] of AXES.entries()) {
    const available = shape[2 - i] ?? 0;
    const ofChannel = channel.number(`ImageSize${axis}`);
    const sizes = [ofChannel, image?.number(axis)].filter(
      (value): value is number => value !== undefined && Number.isInteger(value) && value >= 1,
    );
    // Arrays are padded, never truncated: when two sizes disagree, the one that fits is right.
    size[axis] = sizes.find((value) => value <= available) ?? sizes[0] ?? available;
    if (ofChannel !== undefined && ofChannel !== size[axis]) ignoredSizes.push(`ImageSize${axis} ${ofChannel}`);
  }
  return { size, ignoredSizes };
}

/** Reads attributes whose objects were read for the image. Corrupted ones must not prevent reading the pixels. */
function readInstrument(
  image: Hdf5Object | undefined,
  channels: readonly (Hdf5Object | undefined)[],
): RawImsInstrument {
  const text = (object: Hdf5Object | undefined, name: string) =>
    ignoreCorrupted(() => object?.text(name) ?? object?.number(name)?.toString());
  const wavelength = (of: 'Excitation' | 'Emission') =>
    channels.map((info) => text(info, `LSM${of}Wavelength`) || text(info, `${of}Wavelength`));
  return {
    model: text(image, 'MicroscopeModel'),
    objective: text(image, 'ObjectiveName'),
    immersion: text(image, 'ObjectiveImmersion'),
    lensPower: text(image, 'LensPower'),
    apertures: [image, ...channels].map((object) => text(object, 'NumericalAperture')),
    excitation: wavelength('Excitation'),
    emission: wavelength('Emission'),
  };
}
