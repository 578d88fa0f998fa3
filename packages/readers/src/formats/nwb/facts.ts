/** Reads the metadata of a series, under the names of the NWB schema. */

import type { Notes } from '../../base/notes.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import { readInstrument, type SeriesInstrument } from './instrument.js';
import { membersOf } from './members.js';

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
  /** Seconds from the reference of the file to the first entry of such data. */
  startingTime: number | undefined;
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
  /** What the series was taken with. */
  takenWith: SeriesInstrument;
}

/** Reads the metadata of a series. Metadata that cannot be read become notes. */
export async function readFacts(series: Hdf5Object, notes: Notes): Promise<SeriesFacts> {
  const members = membersOf(series.file.name, notes);
  const { attempt, numbers } = members;
  const plane = await attempt(() => series.child('imaging_plane'));
  const isGroup = plane && (await attempt(() => !plane.isDataset)) === true;
  const imagingPlane = isGroup ? plane : undefined;
  const [imagingRate] = await numbers(imagingPlane, 'imaging_rate');
  const opticalChannels = (await attempt(() => findOpticalChannels(imagingPlane))) ?? new Map();
  return {
    dimension: await numbers(series, 'dimension'),
    fieldOfView: await numbers(series, 'field_of_view'),
    gridSpacing: await numbers(imagingPlane, 'grid_spacing'),
    gridUnit: (await attempt(() => imagingPlane?.child('grid_spacing')?.text('unit'))) ?? 'meters',
    opticalChannels: [...opticalChannels.keys()],
    rate: await attempt(() => series.child('starting_time')?.number('rate')),
    startingTime: (await numbers(series, 'starting_time'))[0],
    imagingRate,
    scanLineRate: await attempt(() => series.number('scan_line_rate')),
    timestamps: await numbers(series, 'timestamps'),
    timestampUnit: await attempt(() => series.child('timestamps')?.text('unit')),
    conversion: await attempt(() => series.child('data')?.number('conversion')),
    offset: await attempt(() => series.child('data')?.number('offset')),
    dataUnit: await attempt(() => series.child('data')?.text('unit')),
    takenWith: await readInstrument(series, imagingPlane, [...opticalChannels.values()], { members, notes }),
  };
}

/** Returns the optical channels of an imaging plane by their names. */
function findOpticalChannels(plane: Hdf5Object | undefined): ReadonlyMap<string, Hdf5Object> {
  const found = new Map<string, Hdf5Object>();
  for (const [name, { kind }] of plane?.links ?? []) {
    const member = kind === 'external' ? undefined : plane?.child(name);
    if (member?.text('neurodata_type') === 'OpticalChannel') found.set(name, member);
  }
  return found;
}
