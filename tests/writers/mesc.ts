/** MESc files as MESc 3 and 4 lay them out: attributes of the units, texts as arrays of characters. */
import { type FilterName, type H5Group, type H5Node, type H5Options, writeHdf5 } from './hdf5.js';
import type { Content } from './hdf5-types.js';

export interface MescUnit {
  /** Of the arrays of the channels. */
  shape: number[];
  /** Names of the channels. */
  names?: string[];
  /** Value of a sample, by its number in C order. */
  value?: (channel: number, index: number) => number;
  chunks?: number[];
  filters?: FilterName[];
  methodType?: number;
  /** Title and unit of the third axis, and its scale. */
  third?: { title?: string; unit?: string; scale?: number; role?: number };
  /** In µm. */
  pixel?: number;
  cycleMs?: number;
  /** Of the shown values. */
  offsets?: number[];
  seconds?: number;
  /** Columns of each line, and rows of one cycle. */
  lines?: { columns: [first: number, last: number][]; rows?: number; pixelSize?: number | number[] };
  background?: string;
  /** Further attributes, and members beside the channels. */
  attrs?: Record<string, Content>;
  members?: Record<string, H5Node>;
}

export interface MescSpec extends H5Options {
  /** By path: `MSession_0/MUnit_3`. */
  units: Record<string, MescUnit>;
}

/** A text as MESc writes it. */
export const characters = (text: string): Content => Uint8Array.from([...Buffer.from(text, 'latin1'), 0]);

function mescTree({ units }: MescSpec): H5Group {
  const sessions: Record<string, { members: Record<string, H5Node> }> = {};
  for (const [path, spec] of Object.entries(units)) {
    const [session = '', unit = ''] = path.split('/');
    sessions[session] ??= { members: {} };
    sessions[session].members[unit] = unitGroup(spec);
  }
  return { attrs: { Uuid: Uint8Array.from({ length: 16 }, (_, i) => i) }, members: sessions };
}

export function writeMesc(spec: MescSpec): Uint8Array<ArrayBuffer> {
  return writeHdf5(mescTree(spec), spec);
}

function unitGroup(spec: MescUnit): H5Group {
  const { shape, names = ['UG'], value = (channel, index) => 1000 * channel + index } = spec;
  const count = shape.reduce((product, size) => product * size, 1);
  const layout = {
    ...(spec.chunks ? { chunks: spec.chunks } : {}),
    ...(spec.filters ? { filters: spec.filters } : {}),
  };
  const arrays = names.map((_, channel): [string, H5Node] => [
    `Channel_${channel}`,
    { data: Uint16Array.from({ length: count }, (_, index) => value(channel, index)), shape, ...layout },
  ]);
  return { attrs: attributesOf(spec, names), members: { ...Object.fromEntries(arrays), ...spec.members } };
}

function attributesOf(spec: MescUnit, names: readonly string[]): Record<string, Content> {
  const { third, pixel, offsets = [], lines, seconds } = spec;
  const attrs: Record<string, Content> = { VecChannelsSize: Uint32Array.of(names.length) };
  for (const [i, name] of names.entries()) {
    attrs[`Channel_${i}_Name`] = characters(name);
    if (offsets[i] === undefined) continue;
    attrs[`Channel_${i}_Conversion_ConversionLinearScale`] = 1;
    attrs[`Channel_${i}_Conversion_ConversionLinearOffset`] = offsets[i];
  }
  if (spec.methodType !== undefined) attrs['MethodType'] = Uint32Array.of(spec.methodType);
  for (const axis of pixel === undefined ? [] : ['X', 'Y']) {
    attrs[`${axis}AxisConversionConversionLinearScale`] = pixel!;
    attrs[`${axis}AxisConversionUnitName`] = characters('µm');
  }
  if (third?.scale !== undefined) attrs['ZAxisConversionConversionLinearScale'] = third.scale;
  if (third?.title !== undefined) attrs['ZAxisConversionTitle'] = characters(third.title);
  if (third?.unit !== undefined) attrs['ZAxisConversionUnitName'] = characters(third.unit);
  if (third?.role !== undefined) attrs['ZAxisGeomRole'] = Uint32Array.of(third.role);
  if (spec.cycleMs !== undefined) attrs['TStepInMs'] = spec.cycleMs;
  if (spec.background !== undefined) attrs['BackgroundImagePath'] = { vlen: spec.background };
  if (seconds !== undefined) {
    attrs['MeasurementDatePosix'] = BigUint64Array.of(BigInt(Math.floor(seconds)));
    attrs['MeasurementDateNanoSecs'] = Uint32Array.of(Math.round((seconds % 1) * 1e9));
  }
  return { ...attrs, ...(lines ? lineAttributes(lines) : {}), ...spec.attrs };
}

function lineAttributes({ columns, rows = 1, pixelSize }: NonNullable<MescUnit['lines']>): Record<string, Content> {
  const measurementROIs = columns.map(([first, last]) => ({
    lowerLeftFramePix: [first + 1, 1],
    upperRightFramePix: [last + 1, rows],
  }));
  const protocol = {
    protocol: { scanners: { mainPatternIndex: 2 } },
    scanPatterns: { patterns: [{ pixelSize: 99 }, { pixelSize }] },
  };
  return {
    CoordinateMapJSON: { vlen: JSON.stringify({ maps: [{ measurementROIs }] }) },
    ...(pixelSize === undefined ? {} : { MultiROIProtocolJSON: characters(JSON.stringify(protocol)) }),
  };
}
