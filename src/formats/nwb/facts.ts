/** What the file says about a series, under the names of the NWB schema. */
import { AcqError } from '../../errors.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import type { Value } from '../../hdf5/values.js';

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
  /** Entries per second; of the data when they are regular, else as the imaging plane states it. */
  rate: number | undefined;
  imagingRate: number | undefined;
  /** Lines per second. */
  scanLineRate: number | undefined;
  /** Seconds, one per entry. */
  timestamps: number[];
}

/** Never throws for what only describes: it becomes a warning. */
export async function readFacts(series: Hdf5Object, warnings: string[]): Promise<SeriesFacts> {
  const noted = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(`A description is not read: ${error.message}`);
      return undefined;
    }
  };
  const numbers = async (group: Hdf5Object | undefined, name: string): Promise<number[]> => {
    const value = await noted(() => readMember(group, name));
    return value?.numbers ?? [];
  };
  const plane = await noted(() => series.child('imaging_plane'));
  const isGroup = plane && (await noted(() => !plane.isDataset)) === true;
  const imagingPlane = isGroup ? plane : undefined;
  const [imagingRate] = await numbers(imagingPlane, 'imaging_rate');
  return {
    dimension: await numbers(series, 'dimension'),
    fieldOfView: await numbers(series, 'field_of_view'),
    gridSpacing: await numbers(imagingPlane, 'grid_spacing'),
    gridUnit: (await noted(() => imagingPlane?.child('grid_spacing')?.text('unit'))) ?? 'meters',
    opticalChannels: (await noted(() => opticalChannels(imagingPlane))) ?? [],
    rate: await noted(() => series.child('starting_time')?.number('rate')),
    imagingRate,
    scanLineRate: await noted(() => series.number('scan_line_rate')),
    timestamps: await numbers(series, 'timestamps'),
  };
}

/** A small dataset; in older files an attribute of the same name. */
export async function readMember(group: Hdf5Object | undefined, name: string): Promise<Value | undefined> {
  const member = group?.child(name);
  if (member?.isDataset) return await member.dataset.values();
  return group?.attribute(name);
}

function opticalChannels(plane: Hdf5Object | undefined): string[] {
  if (!plane) return [];
  return [...plane.links.keys()].filter((name) => {
    const member = plane.links.get(name)?.kind === 'external' ? undefined : plane.child(name);
    return member !== undefined && member.text('neurodata_type') === 'OpticalChannel';
  });
}
