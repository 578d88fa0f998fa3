import type { ChannelInfo, SceneInfo, Step } from '../../../acquisition.js';
import { channelsShown } from '../../../metadata/colors.js';
import { depthRows } from '../../../metadata/depth-rows.js';
import { type GridAxis, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { channelsNamed } from '../../../metadata/names.js';
import { defaultStep, makeStep } from '../../../metadata/steps.js';
import { plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { textOf } from '../soft-tags.js';
import { fluoViewDisplays } from './fluoview-display.js';
import { type SidecarFacts, toSidecarFacts } from './olympus-facts.js';
import { type FoundSidecar, findSidecar, parseMemberName } from './olympus-files.js';
import { type FileSet, findSet } from './olympus-set.js';

const IMAGE_DESCRIPTION = 270;
const SOFTWARE = 305;

/**
 * TIFF exported by Olympus FluoView (FV30S-SW) with its text file: the kymograph format. The text file calibrates, the
 * TIFF has the truth about the pixels. See `docs/formats/olympus-kymograph.md`.
 */
export const olympusFlavor: Flavor = {
  id: 'olympus',
  label: 'Olympus FluoView export with text file',
  detect: (context) => sidecarOf(context) !== undefined,
  arrange: async (context) => {
    const found = sidecarOf(context);
    if (!found) return undefined;
    const facts = toSidecarFacts(found.sidecar);
    const lacking = missingFacts(facts);
    if (lacking.length > 0) {
      context.warnings.push(
        `${found.name}: does not state ${lacking.join(' and ')}; the scan is shown without the calibration of this file`,
      );
      return undefined;
    }
    if (isRotated(context, facts)) {
      context.warnings.push(
        `${found.name}: announces ${facts.rows} lines of ${facts.columns} pixels, the image holds ${facts.columns} lines ` +
          `of ${facts.rows}: it was rotated, and is shown without the calibration of this file`,
      );
      return undefined;
    }
    return arrangeSet(context, facts, found);
  },
};

/** True for TIFFs written by the FluoView export, with or without a text file. */
export function isFluoViewExport(context: FlavorContext): boolean {
  return /^FV30S-SW/.test(textOf(context.page, SOFTWARE));
}

function sidecarOf(context: FlavorContext): FoundSidecar | undefined {
  const { folder, probe } = context.input;
  const thorough = parseMemberName(probe.name) !== undefined || isFluoViewExport(context);
  return findSidecar(folder, probe.name, thorough, context.warnings);
}

/** A kymograph needs all of these; a text without one is not trusted for the others. */
function missingFacts(facts: SidecarFacts): string[] {
  if (facts.kind !== 'line') return [];
  const lacking: string[] = [];
  if (facts.rows === undefined || facts.columns === undefined) lacking.push('the size of the image');
  if (!makeStep(facts.x ?? Number.NaN, 'micrometer')) lacking.push('a usable size of a pixel (X Dimension)');
  if (!makeStep(facts.linePeriod ?? Number.NaN, 'seconds')) lacking.push('a usable duration (T Dimension)');
  return lacking;
}

/** Saved again on its side: rows would be pixels and columns lines, which no header can say. */
function isRotated({ page }: FlavorContext, { kind, rows, columns }: SidecarFacts): boolean {
  const { width, height } = page.layout;
  return kind === 'line' && rows !== columns && rows === width && columns === height;
}

function arrangeSet(context: FlavorContext, facts: SidecarFacts, text: FoundSidecar): Arrangement {
  const { layout } = context.page;
  const set = findSet(context, facts);
  warnAboutShape(context, facts, text.name);
  const grid = pageGrid(context, facts, set);
  const pages = { T: gridSize(grid, 'T'), Z: gridSize(grid, 'Z') };
  const sizes = { T: set.times * pages.T, Z: set.sections * pages.Z, Y: layout.height, X: layout.width };
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: channelsOf(context, facts, set, gridSize(grid, 'C')),
    sizes,
    steps: stepsOf(facts),
    ...depthRows(facts.kind === 'section', context.warnings),
    ...facts.clock,
    reference: null,
    warnings: [],
  };
  return {
    scenes: [scene],
    files: () => chain(text.file, set.names()),
    named: { scene: 0, ...set.own },
    locate: ({ scene: s, channel, t, z }) => {
      const samples = layout.samplesPerPixel;
      const place = Math.floor(channel / samples);
      const file = set.file(set.channels > 1 ? place : 0, set.sections > 1 ? z : 0, set.times > 1 ? t : 0);
      const inFile = {
        scene: s,
        channel: set.channels > 1 ? 0 : place,
        t: set.times > 1 ? 0 : t,
        z: set.sections > 1 ? 0 : z,
      };
      return { file, page: file.page(planeNumber(grid, inFile)), sample: channel % samples };
    },
  };
}

function* chain(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}

function warnAboutShape(context: FlavorContext, facts: SidecarFacts, textName: string): void {
  const { width, height } = context.page.layout;
  if (facts.columns === undefined || facts.rows === undefined) return;
  if (facts.columns === width && facts.rows === height) return;
  context.warnings.push(
    `${textName}: announces ${facts.rows} lines of ${facts.columns} pixels, the image holds ${height} lines of ${width}; ` +
      'the image is shown as it is, with the step of a line and a pixel from the text file',
  );
}

/** What the pages of one file are. One page, in all files seen; stacks are read as channel, then Z, then T. */
function pageGrid(context: FlavorContext, facts: SidecarFacts, set: FileSet): GridAxis[] {
  const { pageCount } = context.file;
  if (pageCount === 1) return [];
  const channels = set.channels > 1 ? 1 : facts.channelCount;
  const axes: GridAxis[] = [
    { kind: 'C', size: channels },
    { kind: 'Z', size: facts.sizes.Z },
    { kind: 'T', size: facts.sizes.T },
  ];
  if (gridSize(axes) === pageCount) return axes;
  context.warnings.push(
    `the file has ${pageCount} pages, the text file announces ${channels} channels × ${facts.sizes.Z} sections × ` +
      `${facts.sizes.T} time points; the pages are shown as time points`,
  );
  return [{ kind: 'T', size: pageCount }];
}

function channelsOf(context: FlavorContext, facts: SidecarFacts, set: FileSet, inFile: number): ChannelInfo[] {
  const { photometric, samplesPerPixel } = context.page.layout;
  const count = set.channels * inFile;
  if (samplesPerPixel > 1) return pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel));
  const named = channelsNamed(channelNames(context, facts, count));
  const displays = Array.from({ length: set.channels }, (_, channel) => {
    const own = fluoViewDisplays(textOf(set.file(channel, 0, 0).page(0), IMAGE_DESCRIPTION));
    return own.length === inFile ? own : new Array<undefined>(inFile).fill(undefined);
  });
  return channelsShown(named, displays.flat());
}

function channelNames(context: FlavorContext, facts: SidecarFacts, count: number): (string | undefined)[] {
  if (count === facts.channelCount) return facts.channelNames;
  // A single member of a set: its number in the file name tells which of the channels it is.
  const number = parseMemberName(context.input.probe.name)?.channel;
  const own = number === undefined ? undefined : facts.channelNames[number - 1];
  if (number === undefined) {
    context.warnings.push(`the text file says ${plural(facts.channelCount, 'channel')}, but the image has ${count}`);
  }
  return Array.from({ length: count }, () => own);
}

function stepsOf(facts: SidecarFacts): SceneInfo['steps'] {
  const micrometers = (value: number | undefined): Step =>
    makeStep(value ?? Number.NaN, 'micrometer', 'sidecar') ?? defaultStep();
  const seconds = (value: number | undefined) => makeStep(value ?? Number.NaN, 'seconds', 'sidecar');
  const y = { line: undefined, section: facts.z, frame: facts.y }[facts.kind];
  return {
    T: seconds(facts.framePeriod) ?? defaultStep('Frames'),
    Z: makeStep(facts.z ?? Number.NaN, 'micrometer', 'sidecar') ?? defaultStep('Planes'),
    Y: seconds(facts.linePeriod) ?? micrometers(y),
    X: micrometers(facts.x),
  };
}
