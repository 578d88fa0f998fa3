import { unsupported } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import type { ChannelInfo, PlaneAddress, SceneInfo, Step } from '../../../model/acquisition.js';
import { measuredAxes } from '../../../model/metadata/axes.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { toOptics } from '../../../model/metadata/instrument.js';
import { type GridAxis, gridSize, planeNumber } from '../../../model/metadata/mixed-radix.js';
import { channelsNamed, cleanName } from '../../../model/metadata/names.js';
import { collectColumns, type PlaneValues } from '../../../model/metadata/plane-columns.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { contiguousData } from '../contiguous.js';
import { pageChannels } from '../metadata.js';
import { readDescription, readText } from '../parse.js';
import { exposureSeconds, metamorphInstrument } from './metamorph-instrument.js';
import { metaseriesChannel, metaseriesClock } from './metaseries.js';
import { type PlaneProperties, parseMetaSeries } from './metaseries-text.js';
import { isMetaSeries } from './signs.js';
import { type PlaneKey, planeAxes } from './stk-axes.js';
import { positionKey } from './stk-positions.js';
import { focusDepths, isDepthSeries, stkDepths, stkPixels, stkSeconds, stkTimes } from './stk-steps.js';
import {
  countClaimedPlanes,
  isPrairieUic1,
  type RawUic1,
  type RawUicPlane,
  readPlanes,
  readUic1,
  readWavelengths,
  stkClock,
} from './uic.js';
import { type RawPositions, readPositions } from './uic-positions.js';

/** MetaMorph STK: a single IFD and consecutive planes. See `docs/formats/metamorph-stk.md`. */
export const stkFlavor: FlavorReader = {
  confirms: isStk,
  arrange: async (context) => arrangeStack(context),
};

/** Prairie View writes the same tags into plain TIFFs, with one plane, no dates and settings that are placeholders. */
function isStk({ file, page }: FlavorContext): boolean {
  const count = countClaimedPlanes(page);
  if (count === 0 || /^prairie/i.test(readText(page, TAG.software))) return false;
  if (count > 1 || (readPlanes(file, page, 1)?.[0]?.createdDay ?? 0) !== 0) return true;
  const uic1 = readUic1(file, page);
  if (isPrairieUic1(uic1)) return false;
  return hasSettings(uic1) || isNanometers(readWavelengths(file, page, 1)?.[0]);
}

function hasSettings({ calibrated, xCalibration, name, illumination }: RawUic1): boolean {
  return calibrated !== undefined || xCalibration !== undefined || name !== undefined || illumination.size > 0;
}

/** Some files have filter positions 1, 2, … instead of wavelengths. */
function isNanometers(wavelength: number | undefined): wavelength is number {
  return wavelength !== undefined && wavelength >= 200 && wavelength <= 20_000;
}

function arrangeStack(context: FlavorContext): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const stack = findStack(context);
  const settings = readSettings(context, stack.count);
  const axes = findAxes(settings, layout, notes);
  const samples = layout.samplesPerPixel;
  const at = ({ channel, ...address }: PlaneAddress) =>
    planeNumber(axes, { ...address, channel: Math.floor(channel / samples) });
  const scenes = Array.from({ length: gridSize(axes, 'S') }, (_, scene) => toScene(context, settings, { axes, scene }));
  return {
    scenes,
    readPlaneColumns: (scene) =>
      collectColumns(scenes[scene]!, (place) => toValues(settings, at({ scene, ...place })), samples),
    locate: (address) => {
      const plane = at(address);
      const sample = address.channel % samples;
      if (plane === 0) return { file, page, sample };
      if (stack.isPages) return { file, page: file.page(plane), sample };
      return { file, page, sample, dataOffset: stack.offset + plane * stack.stride };
    },
  };
}

/** What the private tags say. */
interface StkSettings {
  count: number;
  planes: RawUicPlane[] | undefined;
  positions: RawPositions;
  /** Of each plane, in micrometers. */
  focus: Float64Array | undefined;
  wavelengths: number[] | undefined;
  uic1: RawUic1;
  properties: PlaneProperties;
  pixels: { Y: Step; X: Step };
}

function readSettings({ file, page, notes }: FlavorContext, count: number): StkSettings {
  const planes = readPlanes(file, page, count);
  if (!planes)
    notes.add(
      asCorrupted('The records of the planes (UIC2) fall outside the file, so dates and Z distances are missing.'),
    );
  const uic1 = readUic1(file, page);
  const description = readDescription(page);
  const properties = isMetaSeries(description) ? parseMetaSeries(description) : new Map<string, string>();
  const positions = readPositions(file, page, count, uic1);
  return {
    ...{ count, planes, uic1, properties, positions },
    focus: focusDepths(positions.z, uic1.units),
    wavelengths: readWavelengths(file, page, count),
    pixels: stkPixels(uic1, properties, notes),
  };
}

/** Wavelengths are channels and stage positions scenes; the rest is depth if the planes have a distance, else time. */
function findAxes({ count, planes, positions, wavelengths, pixels }: StkSettings, layout: PageLayout, notes: Notes) {
  const isCalibrated = pixels.X.unit === 'micrometer' && pixels.Y.unit === 'micrometer';
  const field = isCalibrated ? Math.min(layout.width * pixels.X.step, layout.height * pixels.Y.step) : undefined;
  const keys: PlaneKey[] = wavelengths ? [{ kind: 'C', values: wavelengths, what: 'wavelength' }] : [];
  const position = positionKey(positions, field, notes);
  if (position) keys.push(position);
  const isZ = isDepthSeries(planes, positions.z);
  const depths: PlaneKey | undefined =
    isZ && positions.z ? { kind: 'Z', values: positions.z, what: 'focus position' } : undefined;
  // Depths that repeat leave the rest to time.
  const split = depths && planeAxes(count, [...keys, depths], 'T');
  const chosen = split?.axes.some(({ kind }) => kind === 'Z') ? split : planeAxes(count, keys, isZ ? 'Z' : 'T');
  notes.addAll(chosen.notes);
  return chosen.axes;
}

function toScene(
  { page, notes: fileNotes }: FlavorContext,
  settings: StkSettings,
  { axes, scene }: { axes: readonly GridAxis[]; scene: number },
): SceneInfo {
  const { planes, positions, focus, uic1, properties, pixels } = settings;
  const { layout } = page;
  const scenes = gridSize(axes, 'S');
  const notes = scenes > 1 ? new Notes() : fileNotes;
  const sizes = { T: gridSize(axes, 'T'), Z: gridSize(axes, 'Z'), Y: layout.height, X: layout.width };
  const at = (t: number, z: number) => planeNumber(axes, { scene, channel: 0, t, z });
  const points = Array.from({ length: sizes.T }, (_, t) => at(t, 0));
  const sections = Array.from({ length: sizes.Z }, (_, z) => at(0, z));
  const time = stkTimes(points, planes, notes);
  const depth = stkDepths(sections, planes, { focus, units: uic1.units }, notes);
  const first = at(0, 0);
  const label = positions.labels?.[first] || (scenes > 1 ? `Position ${scene + 1}` : undefined);
  const name = scenes > 1 ? label : (uic1.name ?? properties.get('image-name') ?? label);
  return {
    name: cleanName(name),
    sampleType: layout.sampleType,
    channels: toChannels(axes, settings, page),
    sizes,
    steps: { T: time.step, Z: depth.step, ...pixels },
    ...measuredAxes({ T: time, Z: depth }),
    ...metamorphInstrument(properties, {
      objective: uic1.magnification.get(first),
      stage: { x: positions.x?.[first], y: positions.y?.[first], z: focus?.[first] },
      seconds: stkSeconds(planes?.[first]),
    }),
    ...(stkClock(planes?.[first]) ??
      metaseriesClock(properties) ??
      parseDateTime(readText(page, TAG.dateTime)) ??
      NO_CLOCK),
    reference: null,
    warnings: scenes > 1 ? notes.list() : [],
  };
}

/** Returns what is known of a plane. */
function toValues({ planes, positions, focus }: StkSettings, plane: number): PlaneValues {
  return {
    time: stkSeconds(planes?.[plane]),
    x: positions.x?.[plane],
    y: positions.y?.[plane],
    z: focus?.[plane],
  };
}

/** The location and number of the planes. */
interface StkPlanes {
  count: number;
  /** True if planes are pages of their own, in files that were saved again. */
  isPages: boolean;
  offset: number;
  stride: number;
}

function findStack({ file, page, notes }: FlavorContext): StkPlanes {
  const claimed = countClaimedPlanes(page);
  if (claimed === 1) return { count: 1, isPages: false, offset: 0, stride: 0 };
  if (file.pageCount === claimed) return { count: claimed, isPages: true, offset: 0, stride: 0 };
  const start = contiguousData(page);
  if (!start || page.layout.planar) {
    throw unsupported(
      `is a MetaMorph stack whose ${grouped(claimed)} planes are compressed or not contiguous, which is not supported. Save it uncompressed.`,
    );
  }
  const available = 1 + Math.floor((file.source.size - start.offset - start.bytes) / start.stride);
  const count = Math.max(1, Math.min(claimed, available));
  if (count > LIMITS.planes)
    throw unsupported(`has ${grouped(claimed)} planes; the limit is ${grouped(LIMITS.planes)}`);
  if (count < claimed) {
    notes.add(
      asCorrupted(
        `The file says ${plural(claimed, 'plane')}, but has space for ${grouped(count)}; it may be truncated.`,
      ),
    );
  }
  return { count, isPages: false, offset: start.offset, stride: start.stride };
}

function toChannels(axes: readonly GridAxis[], settings: StkSettings, page: TiffPage): ChannelInfo[] {
  const { uic1, properties } = settings;
  const { samplesPerPixel, photometric } = page.layout;
  const count = gridSize(axes, 'C');
  if (samplesPerPixel > 1) return pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel));
  const named = channelsNamed(channelNames(axes, settings, count));
  const { autoScale, minScale: start, maxScale: end } = uic1;
  // A single range for the whole stack does not apply to each of several wavelengths.
  const hasWindow = count === 1 && autoScale === false && start !== undefined && end !== undefined;
  const shown = hasWindow ? channelsShown(named, [{ window: { start, end } }]) : named;
  if (count > 1) return shown;
  // The description is that of the first plane.
  const optics = toOptics({ exposureSeconds: exposureSeconds(properties.get('Description') ?? readDescription(page)) });
  return shown.map((channel) => ({ ...channel, ...optics }));
}

function channelNames(
  axes: readonly GridAxis[],
  { uic1, wavelengths, properties }: StkSettings,
  count: number,
): (string | undefined)[] {
  return Array.from({ length: count }, (_, index) => {
    const plane = planeNumber(axes, { scene: 0, channel: index, t: 0, z: 0 });
    const wavelength = wavelengths?.[plane];
    const measured = isNanometers(wavelength) ? `${Math.round(wavelength)} nm` : undefined;
    return uic1.illumination.get(plane) ?? measured ?? (count === 1 ? metaseriesChannel(properties) : undefined);
  });
}
