/** Reads the metadata of a series, under the names of the NWB schema. */
import { AcqError } from '../../errors.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import type { Value } from '../../hdf5/values.js';
import type { Notes } from '../../notes.js';

export interface SeriesFacts {
  /** Pixels on x, y (and z). */
  dimension: number[];
  /** Metres on x, y (and z). */
  fieldOfView: number[];
  /** Per pixel on x, y (and z), in `gridUnit`. */
  gridSpacing: number[];
  gridUnit: string;
  /** Names of the optical channels of the imaging plane. */
  opticalChannels: string[];
  /** Entries per second, of data with regular intervals. */
  rate: number | undefined;
  /** Entries per second, of the imaging plane. */
  imagingRate: number | undefined;
  /** Lines per second. */
  scanLineRate: number | undefined;
  /** Seconds, one per entry. */
  timestamps: number[];
  timestampUnit: string | undefined;
  /** The value in `dataUnit` is the sample × `conversion` + `offset`. */
  conversion: number | undefined;
  offset: number | undefined;
  dataUnit: string | undefined;
}

/** Reads the metadata of a series. Metadata that cannot be read become notes. */
export async function readFacts(series: Hdf5Object, notes: Notes): Promise<SeriesFacts> {
  const attempt = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.add(`Some metadata were ignored: ${error.message}`);
      return undefined;
    }
  };
  const numbers = async (group: Hdf5Object | undefined, name: string): Promise<number[]> => {
    const value = await attempt(() => readMember(group, name));
    return value?.numbers ?? [];
  };
  const plane = await attempt(() => series.child('imaging_plane'));
  const isGroup = plane && (await attempt(() => !plane.isDataset)) === true;
  const imagingPlane = isGroup ? plane : undefined;
  const [imagingRate] = await numbers(imagingPlane, 'imaging_rate');
  return {
    dimension: await numbers(series, 'dimension'),
    fieldOfView: await numbers(series, 'field_of_view'),
    gridSpacing: await numbers(imagingPlane, 'grid_spacing'),
    gridUnit: (await attempt(() => imagingPlane?.child('grid_spacing')?.text('unit'))) ?? 'meters',
    opticalChannels: (await attempt(() => findOpticalChannels(imagingPlane))) ?? [],
    rate: await attempt(() => series.child('starting_time')?.number('rate')),
    imagingRate,
    scanLineRate: await attempt(() => series.number('scan_line_rate')),
    timestamps: await numbers(series, 'timestamps'),
    timestampUnit: await attempt(() => series.child('timestamps')?.text('unit')),
    conversion: await attempt(() => series.child('data')?.number('conversion')),
    offset: await attempt(() => series.child('data')?.number('offset')),
    dataUnit: await attempt(() => series.child('data')?.text('unit')),
  };
}

/** Reads a small dataset; in older files, an attribute of the same name. */
export async function readMember(group: Hdf5Object | undefined, name: string): Promise<Value | undefined> {
  const member = group?.child(name);
  if (member?.isDataset) return await member.dataset.values();
  return group?.attribute(name);
}

function findOpticalChannels(plane: Hdf5Object | undefined): string[] {
  if (!plane) return [];
  return [...plane.links.keys()].filter((name) => {
    const member = plane.links.get(name)?.kind === 'external' ? undefined : plane.child(name);
    return member !== undefined && member.text('neurodata_type') === 'OpticalChannel';
  });
}
