import { AcqError, decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { MemorySource } from '../../io/byte-source.js';
import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { ReferenceInfo } from '../../model/acquisition.js';
import { type ChannelDisplay, channelsShown } from '../../model/metadata/colors.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep } from '../../model/metadata/steps.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { baseName, type FluoViewSet, propertiesName } from './fluoview-set.js';
import type { RawMain, RawPlaneName } from './parse.js';
import { pixelStep } from './pixel-size.js';

/** The reference image of a scan: its description and the page of each of its channels. */
export interface ReferenceSet {
  /** `null` when the set has no reference image, or none that can be read. */
  info: ReferenceInfo | null;
  pages: readonly ReferencePage[];
  warnings: readonly string[];
}

interface ReferencePage {
  file: TiffFile;
  page: TiffPage;
}

export function openReference(
  set: FluoViewSet,
  raw: RawMain,
  names: readonly RawPlaneName[],
  displays: readonly ChannelDisplay[],
): ReferenceSet {
  const files = names
    .filter(({ reference }) => reference !== undefined)
    .sort((a, b) => (a.reference ?? 0) - (b.reference ?? 0) || channelNumber(a) - channelNumber(b));
  // Each reference number is an image; those after the first were taken later in the same recording.
  const chosen = files.filter(({ reference }) => reference === files[0]!.reference);
  const notes = new Notes();
  try {
    const opened = openPages(set, raw, chosen, displays, notes);
    return { info: opened?.info ?? null, pages: opened?.pages ?? [], warnings: notes.list() };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The reference image cannot be read', error));
    return { info: null, pages: [], warnings: notes.list() };
  }
}

/** Reads a channel of the reference image. @throws AcqError `decode_failed` */
export async function readReferencePlane(
  reference: ReferenceSet,
  channel: number,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const entry = reference.pages[channel];
  if (!entry) throw decodeFailed(`the reference image has no channel ${channel}`);
  await readPageSample(entry.file, entry.page, 0, target, signal);
}

function openPages(
  set: FluoViewSet,
  raw: RawMain,
  files: readonly RawPlaneName[],
  displays: readonly ChannelDisplay[],
  notes: Notes,
): { info: ReferenceInfo; pages: ReferencePage[] } | undefined {
  const [first] = files;
  const all = files.flatMap(({ file }) => openTiffPages(set, file));
  const layout = all[0]?.page.layout;
  if (!first || !layout) return undefined;
  const pages = all.filter(({ page }) => page.layout.width === layout.width && page.layout.height === layout.height);
  const numbers = pages.map((_, i) => channelNumber(files[i] ?? first));
  const properties = set.settings(propertiesName(first.file));
  const path = findScanPath(set, raw, properties);
  if (!path && raw.scanMode.startsWith('XT')) {
    notes.add('The set does not contain the position of the scanned line on the reference image.');
  }
  const info: ReferenceInfo = {
    sampleType: layout.sampleType,
    channels: channelsShown(
      channelsNamed(numbers.map((number) => raw.channelNames[number - 1])),
      numbers.map((number) => displays[number - 1]),
    ),
    sizes: { Y: layout.height, X: layout.width },
    steps: {
      Y: pixelStep(properties, set.main, 'Height', notes) ?? defaultStep('Pixels'),
      X: pixelStep(properties, set.main, 'Width', notes) ?? defaultStep('Pixels'),
    },
    lineRoi: path ? toEnds(path) : null,
    scanPath: path ?? null,
  };
  return { info, pages };
}

function toEnds({ x, y }: ScanPath): [number, number, number, number] {
  return [x[0]!, y[0]!, x.at(-1)!, y.at(-1)!];
}

function channelNumber(name: RawPlaneName): number {
  return name.letters.get('C') ?? 1;
}

function openTiffPages(set: FluoViewSet, name: string): ReferencePage[] {
  const file = openTiff(set.open(name) ?? new MemorySource(name, new Uint8Array()));
  return Array.from({ length: file.pageCount }, (_, i) => ({ file, page: file.page(i) }));
}

type ScanPath = NonNullable<ReferenceInfo['scanPath']>;

/** Shapes that a scanner follows: line, polyline, free line. */
const PATH_SHAPES = new Set(['3', '4', '10']);

/**
 * Finds the scanned line, in pixels of the reference: in the ROI file that the properties of the reference name, else in
 * the first one with a path. Marked ROIs have a number above 1 as their name.
 */
function findScanPath(set: FluoViewSet, raw: RawMain, properties: OlympusSettings | undefined): ScanPath | undefined {
  const named = properties?.text('ROI Parameter', 'ROIFileName');
  const listed = raw.roiFiles.map(baseName);
  const all = set.names.filter((name) => /\.roi$/i.test(name));
  const first = all.filter((name) => named && name.toLowerCase().includes(named.toLowerCase()));
  for (const name of new Set([...first, ...listed, ...all])) {
    const roi = set.settings(name);
    const path = roi && parsePath(roi);
    if (path) return path;
  }
  return undefined;
}

function parsePath(roi: OlympusSettings): ScanPath | undefined {
  const paths: (ScanPath & { marked: boolean })[] = [];
  let marked = false;
  for (const { name, values } of roi.blocks) {
    if (name === 'ROIBase FileInformation') marked = Number(values.get('Name')) > 1;
    if (name !== 'ROIBase Body' || !PATH_SHAPES.has(values.get('SHAPE') ?? '')) continue;
    const x = parseNumbers(values.get('X'));
    const y = parseNumbers(values.get('Y'));
    if (x.length >= 2 && x.length === y.length) paths.push({ x, y, marked });
  }
  const path = paths.find((candidate) => candidate.marked) ?? paths[0];
  return path && { x: path.x, y: path.y };
}

function parseNumbers(text: string | undefined): number[] {
  const values = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return values.every(Number.isFinite) ? values : [];
}
