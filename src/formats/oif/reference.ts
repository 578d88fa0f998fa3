import type { ReferenceInfo } from '../../acquisition.js';
import { MemorySource } from '../../io/byte-source.js';
import type { Ini } from '../../io/ini.js';
import { type ChannelDisplay, channelsShown } from '../../metadata/colors.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep } from '../../metadata/steps.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { baseName, type FileSet, readIni } from './file-set.js';
import { pixelStep } from './metadata.js';
import type { RawMain, RawPlaneName } from './parse.js';

/** The overview of a scan: its description and the page of each of its channels. */
export interface ReferenceSet {
  info: ReferenceInfo;
  pages: { file: TiffFile; page: TiffPage }[];
}

/** `undefined` when the set has no reference image, or none that can be read: `warnings` says why. */
export function openReference(
  set: FileSet,
  raw: RawMain,
  names: readonly RawPlaneName[],
  displays: readonly ChannelDisplay[],
  warnings: string[],
): ReferenceSet | undefined {
  const files = names
    .filter(({ reference }) => reference !== undefined)
    .sort((a, b) => (a.reference ?? 0) - (b.reference ?? 0) || channelOf(a) - channelOf(b));
  const first = files[0];
  if (!first) return undefined;
  // One overview per reference number; further ones were taken later in the same recording.
  const chosen = files.filter(({ reference }) => reference === first.reference);
  try {
    const pages = chosen.flatMap(({ file }) => pagesOf(set, file));
    const layout = pages[0]?.page.layout;
    if (!layout) return undefined;
    const fitting = pages.filter(
      ({ page }) => page.layout.width === layout.width && page.layout.height === layout.height,
    );
    const numbers = fitting.map((_, i) => channelOf(chosen[i] ?? first));
    const pty = readIni(set, first.file.replace(/\.tif$/i, '.pty'));
    const line = scannedLine(set, raw, pty, warnings);
    return {
      pages: fitting,
      info: {
        sampleType: layout.sampleType,
        channels: channelsShown(
          channelsNamed(numbers.map((number) => raw.channelNames[number - 1])),
          numbers.map((number) => displays[number - 1]),
        ),
        sizes: { Y: layout.height, X: layout.width },
        steps: {
          Y: pixelStep(pty, set.main, 'Height', warnings) ?? defaultStep('Pixels'),
          X: pixelStep(pty, set.main, 'Width', warnings) ?? defaultStep('Pixels'),
        },
        lineRoi: line ? endsOf(line) : null,
        scanPath: line ?? null,
      },
    };
  } catch (error) {
    warnings.push(`The reference image cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

function endsOf({ x, y }: { x: number[]; y: number[] }): [number, number, number, number] {
  return [Number(x[0]), Number(y[0]), Number(x.at(-1)), Number(y.at(-1))];
}

function channelOf(name: RawPlaneName): number {
  return name.letters.get('C') ?? 1;
}

function pagesOf(set: FileSet, name: string): { file: TiffFile; page: TiffPage }[] {
  const file = openTiff(set.open(name) ?? new MemorySource(name, new Uint8Array()));
  return Array.from({ length: file.pageCount }, (_, i) => ({ file, page: file.page(i) }));
}

/** Shapes that a scanner follows: line, polyline, free line. */
const PATH_SHAPES = new Set(['3', '4', '10']);

/**
 * The scanned line in pixels of the reference: from the ROI file that the reference's properties name, else from the
 * first one that holds a path. Marked ROIs have a number above 1 as their name.
 */
function scannedLine(
  set: FileSet,
  raw: RawMain,
  pty: Ini | undefined,
  warnings: string[],
): { x: number[]; y: number[] } | undefined {
  const named = pty?.text('ROI Parameter', 'ROIFileName');
  const listed = raw.roiFiles.map(baseName);
  const all = set.names.filter((name) => /\.roi$/i.test(name));
  const first = all.filter((name) => named && name.toLowerCase().includes(named.toLowerCase()));
  for (const name of new Set([...first, ...listed, ...all])) {
    const roi = readIni(set, name);
    const path = roi && pathOf(roi);
    if (path) return path;
  }
  if (raw.scanMode.startsWith('XT')) warnings.push('The set does not say where on the reference the line was scanned.');
  return undefined;
}

function pathOf(roi: Ini): { x: number[]; y: number[] } | undefined {
  const paths: { x: number[]; y: number[]; marked: boolean }[] = [];
  let marked = false;
  for (const { name, values } of roi.blocks) {
    if (name === 'ROIBase FileInformation') marked = Number(values.get('Name')) > 1;
    if (name !== 'ROIBase Body' || !PATH_SHAPES.has(values.get('SHAPE') ?? '')) continue;
    const x = numbers(values.get('X'));
    const y = numbers(values.get('Y'));
    if (x.length >= 2 && x.length === y.length) paths.push({ x, y, marked });
  }
  const path = paths.find((candidate) => candidate.marked) ?? paths[0];
  return path && { x: path.x, y: path.y };
}

function numbers(text: string | undefined): number[] {
  const values = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return values.every(Number.isFinite) ? values : [];
}
