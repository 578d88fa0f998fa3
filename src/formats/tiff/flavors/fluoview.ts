import type { SceneInfo, Step } from '../../../acquisition.js';
import { channelsShown } from '../../../metadata/colors.js';
import { depthRows } from '../../../metadata/depth-rows.js';
import { type AxisKind, gridSize, planeNumber } from '../../../metadata/mixed-radix.js';
import { defaultStep, fileStep, type UncalibratedUnit } from '../../../metadata/steps.js';
import type { PageLayout } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { pageChannels } from '../channels.js';
import { fitGrid } from '../page-grid.js';
import { bytesOf, textOf } from '../soft-tags.js';
import { fluoViewDisplays } from './fluoview-display.js';
import { parseFluoViewText, parseMmHead, parsePrimaryDimensions, type RawDimension } from './fluoview-header.js';
import { isFluoViewExport } from './olympus.js';

const IMAGE_DESCRIPTION = 270;
const PAGE_NAME = 285;
const MM_HEAD = 34361;

/** Kinds of the dimension names; unknown ones (there are none in known files) are read as time. */
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

interface Dimension extends RawDimension {
  kind: AxisKind | 'X' | 'Y';
}

/** FluoView TIFF (FV300, FV500), and FV30S-SW exports without their text file. See `docs/formats/fluoview.md`. */
export const fluoviewFlavor: Flavor = {
  id: 'fluoview',
  label: 'Olympus FluoView TIFF',
  detect: (context) => context.page.tags.has(MM_HEAD) || isFluoViewExport(context),
  arrange: async (context) => arrangeFluoView(context, dimensionsOf(context)),
};

function dimensionsOf(context: FlavorContext): Dimension[] {
  const { page, file, warnings } = context;
  const head = bytesOf(page, MM_HEAD);
  const fromHead = head && parseMmHead(head, file.littleEndian);
  if (head && !fromHead) warnings.push(`the FluoView header has ${head.length} bytes instead of 1454 and is not used`);
  const raw = fromHead ?? primaryDimensions(context);
  if (raw.length === 0 && isFluoViewExport(context)) {
    warnings.push(
      'this FluoView export holds no calibration of its own; copy the text file of the export (same name, .txt) beside it',
    );
  }
  return raw
    .filter(({ size }) => size >= 1)
    .map((dimension) => ({ ...dimension, kind: KINDS[dimension.name.toUpperCase()] ?? 'T' }));
}

/** Tag 285 has no sizes: the first two dimensions are those of the page. */
function primaryDimensions({ page }: FlavorContext): RawDimension[] {
  const bytes = bytesOf(page, PAGE_NAME);
  const found = (bytes && parsePrimaryDimensions(bytes)) ?? [];
  const sizes = [page.layout.width, page.layout.height];
  return found.slice(0, 2).map((dimension, i) => ({ ...dimension, size: sizes[i] as number }));
}

function arrangeFluoView(context: FlavorContext, dimensions: Dimension[]): Arrangement {
  const { file, page, warnings } = context;
  const { layout } = page;
  const rows = rowDimension(dimensions, layout.height, file.pageCount);
  const others = dimensions.filter((dimension) => dimension !== rows && !'XY'.includes(dimension.kind));
  const axes = others.map(({ kind, size }) => ({ kind: kind as AxisKind, size }));
  const { axes: grid, note } = fitGrid(axes, file.pageCount);
  if (note !== undefined) warnings.push(note);
  const samples = layout.samplesPerPixel;
  warnAboutShape(dimensions, rows, layout, warnings);
  const stepFor = (kind: Dimension['kind'], fallback: UncalibratedUnit) =>
    stepOf(
      others.find((dimension) => dimension.kind === kind),
      kind,
      fallback,
      warnings,
    );
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    sizes: { T: gridSize(grid, 'T'), Z: gridSize(grid, 'Z'), Y: layout.height, X: layout.width },
    steps: {
      T: stepFor('T', 'Frames'),
      Z: stepFor('Z', 'Planes'),
      Y: rowStep(context, rows),
      X: stepOf(
        dimensions.find(({ kind }) => kind === 'X'),
        'X',
        'Pixels',
        warnings,
      ),
    },
    ...depthRows(rows?.kind === 'Z', warnings),
    ...describe(context, gridSize(grid, 'C')),
    reference: null,
    warnings: [],
  };
  const scenes = gridSize(grid, 'S');
  return {
    scenes: Array.from({ length: scenes }, (_, i) => ({ ...scene, name: scenes > 1 ? `Position ${i + 1}` : '' })),
    locate: (address) => {
      const inGrid = { ...address, channel: Math.floor(address.channel / samples) };
      return { file, page: file.page(planeNumber(grid, inGrid)), sample: address.channel % samples };
    },
  };
}

/**
 * What the rows of a page are. A line scan lists T (or Z) in the place of Y; or it lists Y too, but one page holds what T
 * announces: as many rows as time points, and as many pages as there would be without T.
 */
function rowDimension(dimensions: Dimension[], height: number, pages: number): Dimension | undefined {
  const y = dimensions.find(({ kind }) => kind === 'Y');
  const time = dimensions.find(({ kind, size }) => kind === 'T' && size === height);
  const other = dimensions.filter((dimension) => dimension !== time && !'XY'.includes(dimension.kind));
  if (time && height > 1 && gridSize(other.map(({ size }) => ({ kind: 'T', size }))) === pages) return time;
  if (y) return y;
  const second = dimensions[1];
  return second && dimensions[0]?.kind === 'X' && (second.kind === 'T' || second.kind === 'Z') ? second : undefined;
}

function warnAboutShape(
  dimensions: Dimension[],
  rows: Dimension | undefined,
  layout: PageLayout,
  warnings: string[],
): void {
  const columns = dimensions.find(({ kind }) => kind === 'X')?.size ?? layout.width;
  const lines = rows?.size ?? layout.height;
  if (columns === layout.width && lines === layout.height) return;
  warnings.push(
    `the FluoView header announces ${lines} rows of ${columns} pixels, the image holds ${layout.height} of ${layout.width}; ` +
      'the image is shown as it is',
  );
}

/**
 * Step of the rows. FV30S-SW writes duration ÷ (lines − 1) as the resolution of T (0.00117003900… s for a scan of 30,000
 * lines that took 35.1 s), so the line period is resolution × (lines − 1) ÷ lines.
 */
function rowStep(context: FlavorContext, rows: Dimension | undefined): Step {
  if (rows?.kind === 'T' && context.page.tags.has(MM_HEAD) && isFluoViewExport(context) && rows.size > 1) {
    const resolution = (rows.resolution * (rows.size - 1)) / rows.size;
    return stepOf({ ...rows, resolution }, 'T', 'Pixels', context.warnings);
  }
  return stepOf(rows, rows?.kind ?? 'Y', 'Pixels', context.warnings);
}

function stepOf(
  dimension: RawDimension | undefined,
  kind: Dimension['kind'],
  fallback: UncalibratedUnit,
  warnings: string[],
): Step {
  if (!dimension || dimension.resolution === 0) return defaultStep(fallback);
  return fileStep(dimension.resolution, dimension.unit, {
    what: `step of ${dimension.name}`,
    warnings,
    fallback,
    expect: kind === 'T' ? 'seconds' : 'micrometer',
  });
}

function describe(context: FlavorContext, count: number): Pick<SceneInfo, 'channels' | 'date' | 'time'> {
  const text = textOf(context.page, IMAGE_DESCRIPTION);
  const { clock, dyes } = parseFluoViewText(text);
  const { photometric, samplesPerPixel } = context.page.layout;
  const isGray = samplesPerPixel === 1;
  const names = isGray && dyes.length === count ? dyes : [];
  const named = pageChannels(photometric, new Array<number>(count).fill(samplesPerPixel), names);
  const displays = isGray ? fluoViewDisplays(text) : [];
  return { channels: displays.length === count ? channelsShown(named, displays) : named, ...clock };
}
