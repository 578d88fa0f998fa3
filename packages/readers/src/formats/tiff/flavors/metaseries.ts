import { ignoreCorrupted } from '../../../base/errors.js';
import { Notes } from '../../../base/notes.js';
import type { PlaneAddress, SceneInfo, Step } from '../../../model/acquisition.js';
import { type AxisEvidence, type MeasuredValues, measuredAxes, resolveAxis } from '../../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import { toOptics } from '../../../model/metadata/instrument.js';
import { spreadIndices } from '../../../model/metadata/intervals.js';
import { type GridAxis, gridSize, planeNumber } from '../../../model/metadata/mixed-radix.js';
import { channelsNamed, cleanName } from '../../../model/metadata/names.js';
import { collectColumns, type PlaneValues } from '../../../model/metadata/plane-columns.js';
import { defaultStep, fileStep } from '../../../model/metadata/steps.js';
import type { PageLayout, TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { pageChannels } from '../metadata.js';
import { readDescription } from '../parse.js';
import { exposureSeconds, metamorphInstrument, metaseriesStage } from './metamorph-instrument.js';
import { type PlaneProperties, parseMetaSeries } from './metaseries-text.js';
import { type PlaneKey, planeAxes } from './stk-axes.js';

/** Pages whose XML is read when a file is opened. In longer files, some of them make the step. */
const MAX_PAGES_READ = 64;

/** MetaSeries TIFF (MetaMorph 7.5 and later, MetaXpress): pages with XML as description. See `docs/formats/metamorph-stk.md`. */
export const metaseriesFlavor: FlavorReader = {
  arrange: async (context) => arrangePages(context),
};

function arrangePages(context: FlavorContext): Arrangement {
  const { file, page, notes } = context;
  const pages = readPages(file);
  const axes = findAxes(pages, notes);
  const scenes = Array.from({ length: gridSize(axes, 'S') }, (_, scene) => toScene(page, pages, { axes, scene }));
  const samples = page.layout.samplesPerPixel;
  const at = ({ channel, ...address }: PlaneAddress) =>
    planeNumber(axes, { ...address, channel: Math.floor(channel / samples) });
  return {
    scenes,
    readPlaneColumns: (scene) => {
      // A page that is corrupted says so when it is read.
      const valuesAt = (place: Omit<PlaneAddress, 'scene'>) =>
        toValues(ignoreCorrupted(() => readProperties(file.page(at({ scene, ...place })))) ?? new Map());
      return collectColumns(scenes[scene]!, valuesAt, samples);
    },
    locate: (address) => ({ file, page: file.page(at(address)), sample: address.channel % samples }),
  };
}

/** The properties of pages, by their index: of all pages if there are few, otherwise of some. */
interface MetaSeriesPages {
  count: number;
  isComplete: boolean;
  read: ReadonlyMap<number, PlaneProperties>;
}

function readPages(file: TiffFile): MetaSeriesPages {
  const count = file.pageCount;
  const read = new Map<number, PlaneProperties>();
  for (const index of spreadIndices(count, MAX_PAGES_READ)) {
    const properties = ignoreCorrupted(() => readProperties(file.page(index)));
    if (properties) read.set(index, properties);
  }
  return { count, isComplete: count <= MAX_PAGES_READ, read };
}

/** Returns a value for each page, `NaN` where it is unknown. */
function collect({ count, read }: MetaSeriesPages, value: (properties: PlaneProperties) => number | undefined) {
  return Float64Array.from({ length: count }, (_, index) => {
    const properties = read.get(index);
    return (properties && value(properties)) ?? Number.NaN;
  });
}

/** Pages of several channels, positions or depths that repeat regularly are told apart; others are depths or times. */
function findAxes(pages: MetaSeriesPages, notes: Notes): GridAxis[] {
  const { count, isComplete, read } = pages;
  const depths = collect(pages, (properties) => metaseriesStage(properties).z);
  const rest = isMonotonic(depths) ? 'Z' : 'T';
  if (!isComplete) return [{ kind: rest, size: count }];
  const texts = (value: (properties: PlaneProperties) => string | undefined) =>
    Array.from({ length: count }, (_, index) => value(read.get(index) ?? new Map()) ?? '');
  const keys: PlaneKey[] = [
    { kind: 'C', values: texts(metaseriesChannel), what: 'channel name' },
    { kind: 'S', values: texts((properties) => properties.get('stage-label')), what: 'stage label' },
  ];
  const split = planeAxes(count, [...keys, { kind: 'Z', values: depths, what: 'focus position' }], 'T');
  const chosen =
    rest === 'T' && repeats(depths) && split.axes.some(({ kind }) => kind === 'Z')
      ? split
      : planeAxes(count, keys, rest);
  notes.addAll(chosen.notes);
  return chosen.axes;
}

/** True if depths go one way. A focus that is kept, or that is moved between time points, goes both ways. */
function isMonotonic(depths: Float64Array): boolean {
  const known = depths.filter(Number.isFinite);
  const direction = Math.sign((known.at(-1) ?? 0) - (known[0] ?? 0));
  return direction !== 0 && known.every((depth, i) => i === 0 || (depth - known[i - 1]!) * direction > 0);
}

function repeats(depths: Float64Array): boolean {
  return new Set(depths).size < depths.length;
}

function toScene(
  page: TiffPage,
  pages: MetaSeriesPages,
  { axes, scene }: { axes: readonly GridAxis[]; scene: number },
): SceneInfo {
  const { layout } = page;
  const notes = new Notes();
  const sizes = { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width };
  const at = (t: number, z: number, channel = 0) => planeNumber(axes, { scene, channel, t, z });
  const first = pages.read.get(at(0, 0)) ?? new Map<string, string>();
  const isSample = !pages.isComplete;
  const planes = pages.count * layout.samplesPerPixel;
  const stamps = collect(pages, metaseriesSeconds);
  const depths = collect(pages, (properties) => metaseriesStage(properties).z);
  const times = Array.from({ length: sizes.T }, (_, t) => stamps[at(t, 0)]!);
  const sections = Array.from({ length: sizes.Z }, (_, z) => depths[at(0, z)]!);
  const time = resolveAxis('T', sizes.T, timeEvidence({ at: times, isSample, planes }), notes);
  const depth = resolveAxis('Z', sizes.Z, depthEvidence({ at: sections, isSample, planes }), notes);
  const label = first.get('stage-label') || (gridSize(axes, 'S') > 1 ? `Position ${scene + 1}` : '');
  return {
    name: cleanName(gridSize(axes, 'S') > 1 ? label : (first.get('image-name') ?? label)),
    sampleType: layout.sampleType,
    channels: toChannels(layout, gridSize(axes, 'C'), (channel) => pages.read.get(at(0, 0, channel)) ?? first),
    sizes,
    steps: { T: time.step, Z: depth.step, ...metaseriesSteps(first, notes) },
    ...measuredAxes({ T: time, Z: depth }),
    ...metamorphInstrument(first, { stage: metaseriesStage(first), seconds: metaseriesSeconds(first) }),
    ...(metaseriesClock(first) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

type MeasuredPlanes = Pick<MeasuredValues, 'at' | 'isSample' | 'planes'>;

function timeEvidence(measured: MeasuredPlanes): AxisEvidence {
  return { unit: 'seconds', measured: { ...measured, what: 'time stamps (acquisition-time-local)', quantum: 0.001 } };
}

function depthEvidence(measured: MeasuredPlanes): AxisEvidence {
  return { unit: 'micrometer', measured: { ...measured, what: 'focus positions (z-position)' } };
}

function toChannels(layout: PageLayout, count: number, propertiesOf: (channel: number) => PlaneProperties) {
  if (layout.samplesPerPixel > 1) {
    return pageChannels(layout.photometric, new Array<number>(count).fill(layout.samplesPerPixel));
  }
  const properties = Array.from({ length: count }, (_, channel) => propertiesOf(channel));
  return channelsNamed(properties.map(metaseriesChannel)).map((channel, index) => ({
    ...channel,
    ...toOptics({ exposureSeconds: exposureSeconds(properties[index]!.get('Description') ?? '') }),
  }));
}

function toValues(properties: PlaneProperties): PlaneValues {
  return {
    time: metaseriesSeconds(properties),
    exposure: exposureSeconds(properties.get('Description') ?? ''),
    ...metaseriesStage(properties),
  };
}

function readProperties(page: TiffPage): PlaneProperties {
  return parseMetaSeries(readDescription(page));
}

/** Returns the seconds of the local clock (`20110517 12:33:30.123`) since 1970. */
function metaseriesSeconds(properties: PlaneProperties): number | undefined {
  const text = properties.get('acquisition-time-local') ?? '';
  const [, year, month, day, clock] = /^\s*(\d{4})(\d\d)(\d\d)\s+(\d\d?:\d\d:\d\d(?:\.\d{1,9})?)\s*$/.exec(text) ?? [];
  if (clock === undefined) return undefined;
  const [hour, minute, second] = clock.split(':').map(Number) as [number, number, number];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), hour, minute) / 1000 + second;
}

/** Returns the pixel size, unless the calibration is switched off. */
export function metaseriesSteps(properties: PlaneProperties, notes: Notes): { Y: Step; X: Step } {
  if (properties.get('spatial-calibration-state')?.toLowerCase() === 'off')
    return { Y: defaultStep(), X: defaultStep() };
  const units = properties.get('spatial-calibration-units');
  const step = (axis: 'x' | 'y') => {
    const value = properties.get(`spatial-calibration-${axis}`);
    return fileStep(value === undefined ? undefined : Number(value), units, {
      what: `spatial-calibration-${axis}`,
      warnings: notes,
      expect: 'micrometer',
    });
  };
  return { Y: step('y'), X: step('x') };
}

/** Returns the local time (`20110517 12:33:30.123`) or, if it is missing, the modification time of the plane. */
export function metaseriesClock(properties: PlaneProperties): WallClock | undefined {
  return (
    parseDateTime(properties.get('acquisition-time-local') ?? '') ??
    parseDateTime(properties.get('modification-time-local') ?? '')
  );
}

/** Returns the name of the illumination setting or, if it is missing, the wavelength. */
export function metaseriesChannel(properties: PlaneProperties): string | undefined {
  const wavelength = Number(properties.get('wavelength'));
  return properties.get('_IllumSetting_') || (wavelength > 0 ? `${wavelength} nm` : undefined);
}
