import { companionMissing, ignoreCorrupted } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { countAre, grouped, plural, subjectFirst } from '../../../base/wording.js';
import { decodeText } from '../../../io/text.js';
import type { PlaneAddress, SceneInfo } from '../../../model/acquisition.js';
import { measuredAxes, resolveAxis } from '../../../model/metadata/axes.js';
import { NO_CLOCK } from '../../../model/metadata/dates.js';
import { toInstrument, toOptics } from '../../../model/metadata/instrument.js';
import { spreadIndices } from '../../../model/metadata/intervals.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import { collectColumns } from '../../../model/metadata/plane-columns.js';
import { defaultStep, makeStep } from '../../../model/metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { resolutionSteps } from '../metadata.js';
import { readDescription } from '../parse.js';
import { parseThorName, sortThorFiles, type ThorFiles } from './thor-files.js';
import { isThorExperiment, parseThorSettings, type ThorSettings } from './thor-settings.js';

const SETTINGS = 'Experiment.xml';
/** Files whose time stamps are read when a set is opened; those of longer series make the step. */
const MAX_STAMPS = 16;
/** Share by which two values for the pixel size may differ: one of them has two decimals. */
const DIFFERENT = 0.01;

/**
 * TIFF series of Thorlabs ThorImageLS: one file per plane, its indices in the name, settings in `Experiment.xml`. Only the
 * first file of each channel lists the set in its OME-XML.
 */
export const thorFlavor: FlavorReader = {
  confirms: (context) => readSettings(context) !== undefined,
  arrange: async (context) => arrangeSet(context),
};

function readSettings({ input }: FlavorContext): ThorSettings | undefined {
  const name = parseThorName(input.probe.name);
  const source = name && input.folder.openAnyCase(SETTINGS);
  if (!name || !source || source.size > LIMITS.metadataBytes) return undefined;
  const text = decodeText(source.read(0, source.size));
  const settings = isThorExperiment(text) ? parseThorSettings(text) : undefined;
  return settings?.channels.some((channel) => channel.name.toLowerCase() === name.channel.toLowerCase())
    ? settings
    : undefined;
}

function arrangeSet(context: FlavorContext): Arrangement | undefined {
  const { input, file, notes } = context;
  const settings = readSettings(context);
  const name = parseThorName(input.probe.name);
  if (!settings || !name) return undefined;
  const names = settings.channels.map((channel) => channel.name);
  const files = sortThorFiles(input.folder.list(), names, notes);
  if (files.scenes.length > LIMITS.scenes || files.channels.length > LIMITS.channels) return undefined;
  notes.addAll(describeGaps(files, settings));
  const open = (member: string) => (member === input.probe.name ? file : openMember(context, member));
  const scenes = files.scenes.map((_, scene) => toScene(context, { settings, files, scene, open }));
  return {
    scenes,
    named: files.find(name),
    files: () => [SETTINGS, ...files.names],
    readPlaneColumns: (scene) =>
      collectColumns(scenes[scene]!, (place) => ({ time: stampOf(files.at({ scene, ...place }), open) })),
    locate: (address) => {
      const member = files.at(address);
      if (member === undefined) return undefined;
      const opened = open(member);
      return { file: opened, page: opened.page(0), sample: 0 };
    },
  };
}

type Open = (member: string) => FlavorContext['file'];

function openMember({ input, siblings }: FlavorContext, member: string) {
  const file = siblings.open(member);
  if (file) return file;
  throw companionMissing(`"${member}", a file of this set,`, input.folder.path);
}

function describeGaps({ scenes, channels, Z, T, count }: ThorFiles, { planned }: ThorSettings): string[] {
  const warnings: string[] = [];
  const says = [planned.Z ?? Z.length, planned.T ?? T.length] as const;
  if (says[0] > Math.max(1, Z.length) && Z.length > 1) {
    warnings.push(
      `ThorImage planned ${plural(says[0], 'section')}, but the folder has ${grouped(Z.length)}. Showing these.`,
    );
  }
  if (says[1] > T.length) {
    warnings.push(
      `ThorImage planned ${plural(says[1], 'time point')}, but the folder has ${grouped(T.length)}. Showing these.`,
    );
  }
  const missing = scenes.length * channels.length * Z.length * T.length - count;
  if (missing > 0) warnings.push(`${countAre(missing, 'file')} missing from the set. Showing zeros in their place.`);
  return warnings;
}

function toScene(
  { page }: FlavorContext,
  { settings, files, scene, open }: { settings: ThorSettings; files: ThorFiles; scene: number; open: Open },
): SceneInfo {
  const notes = new Notes();
  const sizes = { T: files.T.length, Z: files.Z.length };
  const time = resolveAxis(
    'T',
    sizes.T,
    {
      unit: 'seconds',
      nominal: settings.interval === undefined ? [] : [{ step: settings.interval, what: 'Timelapse intervalSec' }],
      measured: readStamps(files, scene, open),
    },
    notes,
  );
  const { channels, objective, start, pinholeUm } = settings;
  const optics = files.channels.map((name) => channels.find((channel) => channel.name === name));
  return {
    name: files.scenes.length > 1 ? `Position ${scene + 1}` : '',
    sampleType: page.layout.sampleType,
    channels: channelsNamed(files.channels).map((channel, index) => ({
      ...channel,
      ...toOptics({ gain: optics[index]?.gain, exposureSeconds: optics[index]?.exposureSeconds, pinholeUm }),
    })),
    sizes: { ...sizes, Y: page.layout.height, X: page.layout.width },
    steps: {
      T: time.step,
      Z: makeStep(settings.zStep ?? Number.NaN, 'micrometer') ?? defaultStep('Planes'),
      ...pixelSteps(page, settings, notes),
    },
    ...measuredAxes({ T: time }),
    ...toInstrument({
      objective,
      start,
      pixelDwellSeconds: settings.dwellSeconds,
      bidirectional: settings.bidirectional,
      linePeriodSeconds: settings.linePeriod,
    }),
    ...(settings.clock ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

function pixelSteps(
  page: TiffPage,
  { pixel, fieldPixel, isLineScan, linePeriod }: ThorSettings,
  notes: Notes,
): Pick<SceneInfo['steps'], 'X' | 'Y'> {
  const byTag = resolutionSteps(page);
  const X = makeStep(pixel.x ?? Number.NaN, 'micrometer') ?? byTag.X;
  const Y = makeStep(pixel.y ?? Number.NaN, 'micrometer') ?? byTag.Y;
  if (fieldPixel !== undefined && pixel.x !== undefined && Math.abs(fieldPixel / pixel.x - 1) > DIFFERENT) {
    notes.add(
      subjectFirst(
        SETTINGS,
        `the pixel size is ${pixel.x} µm, but widthUM / pixelX is ${Number(fieldPixel.toPrecision(4))} µm. ` +
          `Showing ${pixel.x} µm.`,
      ),
    );
  }
  if (!isLineScan) return { X, Y };
  notes.add(
    'The rows are the lines of a line scan. Their period was assumed to be the frame period divided by the rows.',
  );
  return { X, Y: makeStep(linePeriod ?? Number.NaN, 'seconds', 'derived') ?? defaultStep() };
}

/** Reads the time stamps of the first channel and section: those of at most 16 files, evenly spaced. */
function readStamps({ T, Z, channels, at }: ThorFiles, scene: number, open: Open) {
  const values = new Float64Array(T.length).fill(Number.NaN);
  for (const t of spreadIndices(T.length, MAX_STAMPS)) {
    values[t] = stampOf(at({ scene, channel: 0, t, z: 0 } satisfies PlaneAddress), open) ?? Number.NaN;
  }
  const planes = T.length * Z.length * channels.length;
  return { at: values, what: 'time stamps (DeltaT)', isSample: T.length > MAX_STAMPS, planes };
}

/** Returns the seconds that the OME-XML of a file has for its plane. */
function stampOf(member: string | undefined, open: Open): number | undefined {
  if (member === undefined) return undefined;
  // A plane that is corrupted says so when it is read.
  const description = ignoreCorrupted(() => readDescription(open(member).page(0))) ?? '';
  const text = /<(?:\w+:)?Plane\s[^>]*\bDeltaT\s*=\s*"([^"]*)"/.exec(description)?.[1];
  return text ? Number(text) : undefined;
}
