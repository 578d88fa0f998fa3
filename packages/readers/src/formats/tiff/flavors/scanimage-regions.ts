import { grouped, plural } from '../../../base/wording.js';
import { cleanName, uniqueNames } from '../../../model/metadata/names.js';
import { parseRois, type RawRoi, type RoiField } from '../../../model/metadata/scanimage-rois.js';
import type { ScanSettings } from './scanimage-settings.js';

/** Places of regions in sections that are worked out. */
const MAX_PLACES = 1_000_000;
/** Depths that differ by less, in µm, are the same. */
const SAME_DEPTH = 0.01;

/** A region of interest, which is some rows of the frames that have it. */
export interface ScanRegion {
  name: string;
  width: number;
  height: number;
  degrees: { x: number; y: number };
  /** Sections in which it was scanned, in ascending order, and the first row in each. */
  sections: number[];
  rows: number[];
}

/** What is known of the frames. */
export interface RegionFrames {
  width: number;
  height: number;
  /** Sections of a volume, and their depths where the header lists them. */
  Z: number;
  depths: readonly number[] | undefined;
  settings: Pick<ScanSettings, 'linePeriod' | 'flyTime'>;
}

/**
 * Finds the rows of each region of interest. The regions of a section follow each other, with lines between them that were
 * recorded while the mirrors flew from one to the next.
 * @returns why the frames cannot be cut apart, if that is not certain
 */
export function findRegions(json: string, frames: RegionFrames): ScanRegion[] | { reason: string } {
  const rois = parseRois(json) ?? [];
  if (rois.length === 0) return { reason: 'the header does not list them' };
  const places = rois.reduce((sum, { fields }) => sum + Math.max(1, fields?.length ?? 0), 0) * frames.Z;
  if (places > MAX_PLACES || rois.length > frames.height)
    return { reason: `there are ${grouped(rois.length)} of them` };
  const regions: ScanRegion[] = [];
  for (const [i, roi] of rois.entries()) {
    const region = toRegion(roi, i, frames);
    if ('reason' in region) return region;
    regions.push(region);
  }
  const names = uniqueNames(regions.map(({ name }) => name));
  const placed = placeRows(regions, frames);
  return placed ?? regions.map((region, i) => ({ ...region, name: names[i]! }));
}

/** Finds the sections of a region. Its rows are found with those of all others. */
function toRegion(
  { name, isDiscrete, fields }: RawRoi,
  index: number,
  frames: RegionFrames,
): ScanRegion | { reason: string } {
  const shown = cleanName(name) || `Region ${index + 1}`;
  const [first, ...others] = fields ?? [];
  if (!first) return { reason: `the header does not say how large ${shown} is` };
  if (others.some((other) => !isAlike(first, other)))
    return { reason: `${shown} has other sizes in other sections (Z)` };
  if (first.width !== frames.width)
    return { reason: `${shown} has ${plural(first.width, 'column')}, and the frames have ${grouped(frames.width)}` };
  const { width, height, degrees } = first;
  const sections = sectionsOf([first, ...others], isDiscrete, frames);
  if (!sections) return { reason: `the header does not say in which sections (Z) ${shown} is` };
  return { name: shown, width, height, degrees, sections, rows: [] };
}

function isAlike(a: RoiField, b: RoiField): boolean {
  return a.width === b.width && a.height === b.height && a.degrees.x === b.degrees.x && a.degrees.y === b.degrees.y;
}

function sectionsOf(
  fields: readonly RoiField[],
  isDiscrete: boolean,
  { Z, depths }: RegionFrames,
): number[] | undefined {
  const all = Array.from({ length: Z }, (_, z) => z);
  if (!isDiscrete && fields.length === 1) return all;
  if (depths?.length !== Z) return undefined;
  const at = fields.map(({ z }) => z);
  const low = at.reduce((least, z) => Math.min(least, z), Number.POSITIVE_INFINITY);
  const high = at.reduce((most, z) => Math.max(most, z), Number.NEGATIVE_INFINITY);
  const isScanned = (depth: number) =>
    isDiscrete
      ? at.some((z) => Math.abs(z - depth) < SAME_DEPTH)
      : depth > low - SAME_DEPTH && depth < high + SAME_DEPTH;
  const sections = all.filter((z) => isScanned(depths[z]!));
  return sections.length > 0 ? sections : undefined;
}

/** Sets the first row of each region in its sections. @returns why that is not certain */
function placeRows(
  regions: readonly ScanRegion[],
  { Z, height, settings }: RegionFrames,
): { reason: string } | undefined {
  const used = new Array<number>(Z).fill(0);
  const count = new Array<number>(Z).fill(0);
  for (const region of regions) {
    for (const z of region.sections) {
      used[z] = used[z]! + region.height;
      count[z] = count[z]! + 1;
    }
  }
  // The lines between regions are as many everywhere: the section with most of them fills the frame.
  const fullest = count.reduce(
    (best, regions, z) => (isFuller(regions, used[z]!, count[best]!, used[best]!) ? z : best),
    0,
  );
  const between = linesBetween(height - used[fullest]!, count[fullest]! - 1, settings);
  if (typeof between !== 'number') return between;
  const next = new Array<number>(Z).fill(0);
  for (const region of regions) {
    for (const z of region.sections) {
      region.rows.push(next[z]!);
      next[z] = next[z]! + region.height + between;
    }
  }
  const end = next.findIndex((row) => row - between > height);
  return end < 0 ? undefined : { reason: `those of section (Z) ${grouped(end)} have more rows than the frame` };
}

function isFuller(count: number, used: number, bestCount: number, bestUsed: number): boolean {
  return count > bestCount || (count === bestCount && used > bestUsed);
}

/** Returns the lines between two regions, by the rows that are left of a frame, and by the time that the mirrors take. */
function linesBetween(
  left: number,
  gaps: number,
  { linePeriod, flyTime }: RegionFrames['settings'],
): number | { reason: string } {
  if (gaps <= 0)
    return left === 0 ? 0 : { reason: `${plural(Math.abs(left), 'row')} of the frames belong to none of them` };
  const lines = left / gaps;
  if (!Number.isInteger(lines) || lines < 0)
    return {
      reason: `their rows leave ${grouped(left)} of the frames, which is not a whole number of lines for each gap`,
    };
  if (linePeriod === undefined || flyTime === undefined)
    return { reason: 'the header does not say how long the mirrors fly from one to the next (flytoTimePerScanfield)' };
  // Rounded up to whole lines, and to an even number of them.
  const expected = flyTime / linePeriod;
  if (lines < expected - 0.01 || lines >= expected + 2.01)
    return {
      reason:
        `their rows leave ${plural(lines, 'line')} for each gap, but by flytoTimePerScanfield the mirrors take ` +
        `${Number(expected.toPrecision(4))} lines`,
    };
  return lines;
}
