/** Finds the units of a MESc file, one recording each, and reads their attributes under the vendor's names. */

import { AcqError, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { Dataset } from '../../hdf5/dataset.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import { parseXml } from '../../io/xml.js';
import { Attributes, TextBudget } from './attributes.js';

/** Signals of one unit that are looked at. */
const MAX_CURVES = 100;

/** `MSession_i/MUnit_k`. */
export interface RawUnit {
  name: string;
  attributes: Attributes;
  /** `Channel_k`, by number. */
  channels: RawChannel[];
  /** `VecChannelsSize`. */
  statedChannels: number | undefined;
  /** 1 time series, 2 Z stack, 6 line scan, 7 multi-line, 8 to 11 regions of other shapes. */
  methodType: number | undefined;
  axes: { X: RawAxis; Y: RawAxis; Z: RawAxis };
  /** `ZAxisGeomRole`: 0 time, 3 depth. */
  thirdRole: number | undefined;
  /** `ZDim`. */
  plannedFrames: number | undefined;
  /** `TStepInMs`: milliseconds of one cycle of an acousto-optic scan. */
  cycleMs: number | undefined;
  /** `MeasurementDatePosix` and `MeasurementDateNanoSecs`. */
  seconds: number | undefined;
  nanoseconds: number | undefined;
  /** Path of the unit with the picture on which the lines were drawn. */
  background: string | undefined;
  /** `VirtX`, `VirtY`, `VirtZ` of `MeasurementParamsXML`, in µm. */
  stage: { x?: number; y?: number; z?: number };
  /** Names of `Curve_k`. */
  curves: string[];
}

export interface RawChannel {
  dataset: Dataset;
  name: string | undefined;
  /** Shown = stored · scale + offset. */
  scale: number | undefined;
  offset: number | undefined;
  /** `LUT_VecBounds`, as shown, and `LUT_VecColors`. */
  bounds: readonly number[];
  colors: readonly number[];
}

/** `XAxisConversion…`, `YAxisConversion…`, `ZAxisConversion…`. */
export interface RawAxis {
  scale: number | undefined;
  title: string;
  unit: string;
}

export interface FoundUnits {
  units: RawUnit[];
  /** Why units were skipped. */
  notes: Notes;
}

/** True for a file with a session: the only member that every MESc file has. */
export const isSession = (name: string): boolean => /^MSession_\d{1,9}$/.test(name);

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function findUnits(file: Hdf5File): FoundUnits {
  const sessions = numbered(file.root, 'MSession');
  if (sessions.length === 0) throw unsupported(`is not a MESc file but ${contentsOf(file)}`);
  const notes = new Notes();
  const budget = new TextBudget();
  const seen = new Set<Hdf5Object>();
  const units: RawUnit[] = [];
  for (const session of sessions) {
    const group = attempt(session, notes, () => file.root.child(session));
    if (!group) continue;
    for (const member of attempt(session, notes, () => numbered(group, 'MUnit')) ?? []) {
      const name = `${session}/${member}`;
      const object = attempt(name, notes, () => group.child(member));
      if (!object || seen.has(object) || units.length >= LIMITS.scenes) continue;
      seen.add(object);
      const unit = attempt(name, notes, () => readUnit(name, object, budget));
      if (unit) units.push(unit);
    }
  }
  return { units, notes };
}

/** Returns the unit at a path of the file; `undefined` when there is none with channels. */
export function unitAt(file: Hdf5File, path: string): RawUnit | undefined {
  const known = background.get(file) ?? new Map<string, RawUnit | undefined>();
  background.set(file, known);
  if (!known.has(path)) {
    const object = file.find(path);
    known.set(path, object && readUnit(path.replace(/^\/+/, ''), object, new TextBudget()));
  }
  return known.get(path);
}

/** Units that others refer to, by path: many lines may be on one picture. */
const background = new WeakMap<Hdf5File, Map<string, RawUnit | undefined>>();

/** Returns nothing for a unit without channels: such a unit has only signals. */
function readUnit(name: string, object: Hdf5Object, budget: TextBudget): RawUnit | undefined {
  const attributes = new Attributes(object, budget);
  const channels = numbered(object, 'Channel').flatMap((member) => {
    const data = object.child(member);
    return data?.isDataset ? [readChannel(attributes, member, data.dataset)] : [];
  });
  if (channels.length === 0) return undefined;
  return {
    name,
    attributes,
    channels,
    statedChannels: attributes.number('VecChannelsSize'),
    methodType: attributes.number('MethodType'),
    axes: { X: readAxis(attributes, 'X'), Y: readAxis(attributes, 'Y'), Z: readAxis(attributes, 'Z') },
    thirdRole: attributes.number('ZAxisGeomRole'),
    plannedFrames: attributes.number('ZDim'),
    cycleMs: attributes.number('TStepInMs'),
    seconds: attributes.number('MeasurementDatePosix'),
    nanoseconds: attributes.number('MeasurementDateNanoSecs'),
    background: attributes.text('BackgroundImagePath'),
    stage: readStage(attributes.text('MeasurementParamsXML') ?? ''),
    curves: readCurves(object, budget),
  };
}

function readChannel(attributes: Attributes, member: string, dataset: Dataset): RawChannel {
  dataset.check();
  if (dataset.space.empty) throw unsupported(`${member} is empty; the recording was probably interrupted`);
  return {
    dataset,
    name: attributes.text(`${member}_Name`),
    scale: attributes.number(`${member}_Conversion_ConversionLinearScale`),
    offset: attributes.number(`${member}_Conversion_ConversionLinearOffset`),
    bounds: attributes.numbers(`${member}_LUT_VecBounds`),
    colors: attributes.numbers(`${member}_LUT_VecColors`),
  };
}

function readAxis(attributes: Attributes, axis: 'X' | 'Y' | 'Z'): RawAxis {
  return {
    scale: attributes.number(`${axis}AxisConversionConversionLinearScale`),
    title: attributes.text(`${axis}AxisConversionTitle`)?.toLowerCase() ?? '',
    unit: attributes.text(`${axis}AxisConversionUnitName`) ?? '',
  };
}

function readStage(xml: string): RawUnit['stage'] {
  const stage: RawUnit['stage'] = {};
  if (!xml.includes('AttributePosition')) return stage;
  const onElement = ({ name, attributes }: { name: string; attributes: Readonly<Record<string, string>> }) => {
    const [, side] = /^Virt([XYZ])$/.exec(attributes['id'] ?? '') ?? [];
    const value = Number.parseFloat(attributes['value'] ?? '');
    if (name !== 'axis' || side === undefined || attributes['attribute'] !== 'AttributePosition') return false;
    if (Number.isFinite(value)) stage[side.toLowerCase() as 'x' | 'y' | 'z'] = value;
    return false;
  };
  parseXml(xml, { onElement });
  return stage;
}

function readCurves(object: Hdf5Object, budget: TextBudget): string[] {
  const members = numbered(object, 'Curve').slice(0, MAX_CURVES);
  return members.flatMap((member) => {
    const curve = object.child(member);
    const name = curve && new Attributes(curve, budget).text('Name');
    return name ? [name] : [];
  });
}

/** Returns the members `<prefix>_n`, by number: the file sorts them as text, and deleted ones leave gaps. */
function numbered(group: Hdf5Object, prefix: string): string[] {
  const pattern = new RegExp(`^${prefix}_(\\d{1,9})$`);
  const found = [...group.links.keys()].flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? [];
    return digits === undefined ? [] : [{ name, number: Number(digits) }];
  });
  return found.sort((a, b) => a.number - b.number).map(({ name }) => name);
}

function attempt<T>(what: string, notes: Notes, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError(`${what} was skipped`, error));
    return undefined;
  }
}
