/** NWB 2 files as pynwb lays them out. */
import { type H5Dataset, type H5Group, type H5Node, type H5Options, writeHdf5 } from './hdf5.js';
import type { Content } from './hdf5-types.js';

export interface NwbSpec extends H5Options {
  version?: string;
  start?: Content;
  /** `timestamps_reference_time`; none by default, where the schema has one. */
  reference?: string;
  acquisition?: Record<string, H5Node>;
  processing?: Record<string, H5Node>;
  scratch?: Record<string, H5Node>;
  /** `/general/optophysiology`. */
  planes?: Record<string, H5Node>;
  /** `/general/devices`. */
  devices?: Record<string, H5Node>;
}

export function nwbTree(spec: NwbSpec): H5Group {
  return {
    attrs: { nwb_version: { vlen: spec.version ?? '2.6.0' }, ...typed('NWBFile') },
    members: {
      acquisition: { members: spec.acquisition ?? {} },
      processing: { members: spec.processing ?? {} },
      ...(spec.scratch ? { scratch: { members: spec.scratch } } : {}),
      general: {
        members: {
          ...(spec.devices ? { devices: { members: spec.devices } } : {}),
          optophysiology: { members: spec.planes ?? {} },
        },
      },
      session_start_time: { data: spec.start ?? { vlen: '2024-03-05T14:18:23.000000-05:00' } },
      ...(spec.reference ? { timestamps_reference_time: { data: { vlen: spec.reference } } } : {}),
    },
  };
}

export function writeNwb(spec: NwbSpec): Uint8Array<ArrayBuffer> {
  return writeHdf5(nwbTree(spec), spec);
}

export function typed(type: string): Record<string, Content> {
  return { neurodata_type: { vlen: type }, namespace: { vlen: 'core' } };
}

export interface SeriesSpec {
  type?: string;
  data?: H5Dataset;
  dimension?: number[];
  rate?: number;
  /** Of data with a rate: 0 by default. */
  startingTime?: number;
  timestamps?: number[];
  /** None by default; the schema has `seconds`. */
  stampUnit?: string;
  /** Of the samples; 1 by default. */
  conversion?: number;
  offset?: number;
  plane?: string;
  fieldOfView?: number[];
  scanLineRate?: number;
  external?: string[];
  members?: Record<string, H5Node>;
  attrs?: Record<string, Content>;
}

export function series(spec: SeriesSpec): H5Group {
  const { data, dimension, rate, timestamps, plane, fieldOfView, scanLineRate, external } = spec;
  const { conversion = 1, offset, stampUnit } = spec;
  const offsetAttr = offset === undefined ? {} : { offset: Float32Array.of(offset) };
  const members: Record<string, H5Node> = { ...spec.members };
  if (data)
    members['data'] = {
      attrs: { conversion: Float32Array.of(conversion), unit: { vlen: 'a.u.' }, ...offsetAttr },
      ...data,
    };
  if (dimension) members['dimension'] = { data: Int32Array.from(dimension) };
  if (rate !== undefined) {
    const attrs = { rate: Float32Array.of(rate), unit: { vlen: 'seconds' } };
    members['starting_time'] = { data: spec.startingTime ?? 0, attrs };
  }
  if (timestamps)
    members['timestamps'] = {
      data: Float64Array.from(timestamps),
      attrs: { interval: Int32Array.of(1), ...(stampUnit ? { unit: { vlen: stampUnit } } : {}) },
    };
  if (plane) members['imaging_plane'] = { soft: `/general/optophysiology/${plane}` };
  if (fieldOfView) members['field_of_view'] = { data: Float32Array.from(fieldOfView) };
  if (external) {
    members['external_file'] = { data: { vlen: external }, attrs: { starting_frame: Int32Array.of(0) } };
    members['format'] = { data: { vlen: 'external' } };
  }
  const line = scanLineRate === undefined ? {} : { scan_line_rate: Float32Array.of(scanLineRate) };
  return { attrs: { ...typed(spec.type ?? 'TwoPhotonSeries'), ...line, ...spec.attrs }, members };
}

export interface PlaneSpec {
  spacing?: number[];
  unit?: string;
  channels?: string[];
  rate?: number;
  indicator?: string;
  /** nm. */
  excitation?: number;
  /** nm, of each channel. */
  emission?: number[];
  /** Name of the device that is linked. */
  device?: string;
}

export function imagingPlane(spec: PlaneSpec): H5Group {
  const { spacing, unit = 'meters', channels = [], rate, indicator, excitation, emission, device } = spec;
  const members: Record<string, H5Node> = {};
  if (spacing) members['grid_spacing'] = { data: Float32Array.from(spacing), attrs: { unit: { vlen: unit } } };
  if (rate !== undefined) members['imaging_rate'] = { data: Float32Array.of(rate) };
  if (indicator !== undefined) members['indicator'] = { data: { vlen: indicator } };
  if (excitation !== undefined) members['excitation_lambda'] = { data: Float32Array.of(excitation) };
  if (device !== undefined) members['device'] = { soft: `/general/devices/${device}` };
  for (const [i, name] of channels.entries()) {
    const lambda = emission?.[i];
    const value = lambda === undefined ? {} : { emission_lambda: { data: Float32Array.of(lambda) } };
    members[name] = { attrs: typed('OpticalChannel'), members: value };
  }
  return { attrs: typed('ImagingPlane'), members };
}

/** Members of an `Images` container. */
export function images(
  members: Record<string, { data: Content; shape: number[]; resolution?: number; type?: string }>,
): H5Group {
  return {
    attrs: typed('Images'),
    members: Object.fromEntries(
      Object.entries(members).map(
        ([name, { data, shape, resolution, type = 'GrayscaleImage' }]): [string, H5Dataset] => {
          const scale = resolution === undefined ? {} : { resolution: Float32Array.of(resolution) };
          return [name, { data, shape, attrs: { ...typed(type), ...scale } }];
        },
      ),
    ),
  };
}

/** Value of pixel (t, x, y): 100t + 10y + x. */
export function movie(T: number, X: number, Y: number, heightFirst = false): { data: Uint16Array; shape: number[] } {
  const data = new Uint16Array(T * X * Y);
  for (let t = 0; t < T; t++) {
    for (let x = 0; x < X; x++) {
      for (let y = 0; y < Y; y++) data[t * X * Y + (heightFirst ? y * X + x : x * Y + y)] = 100 * t + 10 * y + x;
    }
  }
  return { data, shape: heightFirst ? [T, Y, X] : [T, X, Y] };
}
