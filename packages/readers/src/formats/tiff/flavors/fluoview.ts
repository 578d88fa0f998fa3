import type { Notes } from '../../../base/notes.js';
import { grouped } from '../../../base/wording.js';
import type { SceneInfo, Step } from '../../../model/acquisition.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { depthRows } from '../../../model/metadata/depth-rows.js';
import { type AxisKind, gridSize, planeNumber } from '../../../model/metadata/mixed-radix.js';
import { defaultStep, fileStep, type UncalibratedUnit } from '../../../model/metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { pageChannels } from '../metadata.js';
import { fitGrid } from '../page-grid.js';
import { readBytes, readDescription } from '../parse.js';
import { parseFluoViewDisplays } from './fluoview-display.js';
import {
  parseFluoViewText,
  parseMmHead,
  parsePrimaryDimensions,
  type RawFluoviewDimension,
} from './fluoview-header.js';
import { isFluoViewExport, MM_HEAD } from './signs.js';

/** Kinds of the dimension names. Unknown names, which no known file has, count as time. */
const KINDS: Record<string, AxisKind | 'X' | 'Y'> = {
  X: 'X',
  Y: 'Y',
  Z: 'Z',
  T: 'T',
  TIME: 'T',
  ANIMATION: 'T',
  EVENT: 'T',
  EXPOSURE: 'T',
  CH: 'C',
  WAVELENGTH: 'C',
  XY: 'S',
  MONTAGE: 'S',
};

interface KnownDimension extends RawFluoviewDimension {
  kind: AxisKind | 'X' | 'Y';
}

/** FluoView TIFF (FV300, FV500), and FV30S-SW exports without their text file. See `docs/formats/fluoview.md`. */
export const fluoviewFlavor: FlavorReader = {
  arrange: async (context) => arrangeFluoView(context, readDimensions(context)),
};

function readDimensions(context: FlavorContext): KnownDimension[] {
  const { page, file, notes } = context;
  const head = readBytes(page, MM_HEAD);
  const fromHead = head && parseMmHead(head, file.littleEndian);
  if (head && !fromHead)
    notes.add(`The FluoView header has ${grouped(head.length)} bytes instead of 1,454 and was ignored.`);
  const raw = fromHead ?? readPrimaryDimensions(context);
  if (raw.length === 0 && isFluoViewExport(page)) {
    notes.add(
      'This FluoView export does not contain a calibration. Copy the text file of the export (same name, .txt) into the same folder.',
    );
  }
  return raw
    .filter(({ size }) => size >= 1)
    .map((dimension) => ({ ...dimension, kind: KINDS[dimension.name.toUpperCase()] ?? 'T' }));
}

/** Tag 285 does not list sizes: the first two dimensions have those of the page. */
function readPrimaryDimensions({ page }: FlavorContext): RawFluoviewDimension[] {
  const bytes = readBytes(page, TAG.pageName);
  const dimensions = (bytes && parsePrimaryDimensions(bytes)) ?? [];
  const sizes = [page.layout.width, page.layout.height];
  return dimensions.slice(0, 2).map((dimension, i) => ({ ...dimension, size: sizes[i]! }));
}

function arrangeFluoView(context: FlavorContext, dimensions: KnownDimension[]): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const rows = findRowDimension(dimensions, layout.height, file.pageCount);
  const others = dimensions.filter((dimension) => dimension !== rows && !'XY'.includes(dimension.kind));
  const axes = others.map(({ kind, size }) => ({ kind: kind as AxisKind, size }));
  const { axes: grid, note } = fitGrid(axes, file.pageCount);
  if (note !== undefined) notes.add(note);
  const samples = layout.samplesPerPixel;
  const mismatch = compareShape(dimensions, rows, layout);
  if (mismatch !== undefined) notes.add(mismatch);
  const find = (list: readonly KnownDimension[], wanted: KnownDimension['kind']) =>
    list.find(({ kind }) => kind === wanted);
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    sizes: { T: gridSize(grid, 'T'), Z: gridSize(grid, 'Z'), Y: layout.height, X: layout.width },
    steps: {
      T: toStep(find(others, 'T'), 'Frames', notes),
      Z: toStep(find(others, 'Z'), 'Planes', notes),
      Y: rowStep(context, rows),
      X: toStep(find(dimensions, 'X'), 'Pixels', notes),
    },
    ...depthRows(rows?.kind === 'Z', notes),
    ...readChannelsAndClock(context, gridSize(grid, 'C')),
    reference: null,
    warnings: [],
  };
  const scenes = gridSize(grid, 'S');
  return {
    scenes: Array.from({ length: scenes }, (_, i) => ({ ...scene, name: scenes > 1 ? `Position ${i + 1}` : '' })),
    locate: (address) => {
      const channel = Math.floor(address.channel / samples);
      const index = planeNumber(grid, { ...address, channel });
      return { file, page: file.page(index), sample: address.channel % samples };
    },
  };
}

/**
 * Returns the dimension that the rows of a page run along. A line scan lists T (or Z) in place of Y. Or it lists Y as
 * well, but a page has as many rows as there are time points, and there are as many pages as the other dimensions need.
 */
function findRowDimension(dimensions: KnownDimension[], height: number, pages: number): KnownDimension | undefined {
  const y = dimensions.find(({ kind }) => kind === 'Y');
  const time = dimensions.find(({ kind, size }) => kind === 'T' && size === height);
  const others = dimensions.filter((dimension) => dimension !== time && !'XY'.includes(dimension.kind));
  if (time && height > 1 && others.reduce((product, { size }) => product * size, 1) === pages) return time;
  if (y) return y;
  const second = dimensions[1];
  return second && dimensions[0]?.kind === 'X' && (second.kind === 'T' || second.kind === 'Z') ? second : undefined;
}

/** Returns a warning if the header describes a plane of another shape. */
function compareShape(
  dimensions: readonly KnownDimension[],
  rows: KnownDimension | undefined,
  layout: PageLayout,
): string | undefined {
  const columns = dimensions.find(({ kind }) => kind === 'X')?.size ?? layout.width;
  const lines = rows?.size ?? layout.height;
  if (columns === layout.width && lines === layout.height) return undefined;
  return (
    `The FluoView header says ${grouped(lines)} rows of ${grouped(columns)} pixels, but the image has ` +
    `${grouped(layout.height)} rows of ${grouped(layout.width)}. Showing the image as stored.`
  );
}

/**
 * Returns the step of the rows. FV30S-SW writes duration ÷ (lines − 1) as the resolution of T (0.00117003900… s for a scan
 * of 30,000 lines that took 35.1 s), so the line period is resolution × (lines − 1) ÷ lines.
 */
function rowStep({ page, notes }: FlavorContext, rows: KnownDimension | undefined): Step {
  if (rows?.kind === 'T' && page.tags.has(MM_HEAD) && isFluoViewExport(page) && rows.size > 1) {
    const resolution = (rows.resolution * (rows.size - 1)) / rows.size;
    return toStep({ ...rows, resolution }, 'Pixels', notes);
  }
  return toStep(rows, 'Pixels', notes);
}

function toStep(dimension: KnownDimension | undefined, fallback: UncalibratedUnit, notes: Notes): Step {
  if (!dimension || dimension.resolution === 0) return defaultStep(fallback);
  return fileStep(dimension.resolution, dimension.unit, {
    what: `Step of ${dimension.name}`,
    warnings: notes,
    fallback,
    expect: dimension.kind === 'T' ? 'seconds' : 'micrometer',
  });
}

function readChannelsAndClock(context: FlavorContext, count: number): Pick<SceneInfo, 'channels' | 'date' | 'time'> {
  const text = readDescription(context.page);
  const { clock, dyes } = parseFluoViewText(text);
  const { photometric, samplesPerPixel } = context.page.layout;
  const isGray = samplesPerPixel === 1;
  const names = isGray && dyes.length === count ? dyes : [];
  const channels = pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel), names);
  const displays = isGray ? parseFluoViewDisplays(text) : [];
  return { channels: displays.length === count ? channelsShown(channels, displays) : channels, ...clock };
}
