/** ROI files of ImageJ: adds them to an image as marks, and makes them of marks. */

import { batch } from '@preact/signals';
import { cleanName } from '../export/file-name.ts';
import { ZipWriter } from '../export/zip.ts';
import { addMark, markName, markPoints, newChange } from '../measure/marks.ts';
import { isRoiName } from '../measure/pick-rois.ts';
import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { MAX_MARKS } from '../model/document.ts';
import { formatCount, formatNumber } from '../model/number-text.ts';
import { markRoi, roiMarks } from './mark-rois.ts';
import { RoiError, readRoi } from './roi-format.ts';
import { listZip, unzip } from './unzip.ts';

const MAX_FILE = 64 * 2 ** 20;
const LIMITS = { entries: 4_096, entryBytes: 2 ** 20, totalBytes: 16 * 2 ** 20 };
/** Max points of all marks, which are part of links. */
const MAX_ALL_POINTS = 12_000;
/** Problems that are named one by one. */
const MAX_NAMED = 3;

/** True for a ROI file, and for a ZIP file that contains nothing else. */
export async function isRoiFile(file: File): Promise<boolean> {
  if (isRoiName(file.name)) return true;
  if (!/\.zip$/i.test(file.name) || file.size > MAX_FILE) return false;
  try {
    const entries = listZip(new Uint8Array(await file.arrayBuffer()), LIMITS) ?? [];
    return entries.length > 0 && entries.every(({ name }) => isRoiName(name));
  } catch {
    return false;
  }
}

/** Adds the ROIs of files as marks, in one step that can be undone. Returns what was added and what was not, in words. */
export async function addRois(files: readonly File[], document: AcquisitionDocument, pane: Pane): Promise<string> {
  const marks: Omit<Mark, 'id'>[] = [];
  const problems: string[] = [];
  const changed: string[] = [];
  for await (const { name, content } of contents(files, problems)) {
    try {
      const roi = readRoi(content);
      const own = name.replace(/^.*[\\/]/, '').replace(/\.roi$/i, '');
      const found = roiMarks({ ...roi, name: roi.name || own }, document.info.peek().header.sizes);
      marks.push(...found.marks);
      if (found.change !== '') changed.push(`${roi.name || own} (${found.change})`);
    } catch (error) {
      if (!(error instanceof RoiError)) throw error;
      problems.push(`${name} (${error.message})`);
    }
  }
  const added = addMarks(marks, pane);
  return [
    `Added ${formatCount(added, 'ROI')}.`,
    ...(added < marks.length
      ? [
          `${formatNumber(marks.length - added)} more were skipped: an image has at most ${MAX_MARKS} marks with ${formatNumber(MAX_ALL_POINTS)} points.`,
        ]
      : []),
    ...(problems.length === 0 ? [] : [`Skipped ${listed(problems)}.`]),
    ...(changed.length === 0 ? [] : [`Not exactly as in ImageJ: ${listed(changed)}.`]),
  ].join(' ');
}

/** Yields the ROIs in files; what cannot be read is added to `problems`. */
async function* contents(files: readonly File[], problems: string[]) {
  for (const file of files) {
    try {
      if (file.size > MAX_FILE) throw new RangeError('larger than 64 MiB');
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (isRoiName(file.name)) yield { name: file.name, content: bytes };
      else yield* unzip(bytes, LIMITS, isRoiName);
    } catch (error) {
      problems.push(`the rest of ${file.name} (${(error as Error).message})`);
    }
  }
}

/** Adds as many marks as there is room for. Returns their number. */
function addMarks(marks: readonly Omit<Mark, 'id'>[], pane: Pane): number {
  const change = newChange();
  const present = pane.marks.peek();
  let left = MAX_ALL_POINTS - present.reduce((sum, mark) => sum + markPoints(mark).length, 0);
  let room = MAX_MARKS - present.length;
  return batch(() => {
    let added = 0;
    for (const mark of marks) {
      left -= (mark.via?.length ?? 0) + 2;
      room -= 1;
      if (left < 0 || room < 0) break;
      addMark(pane, mark, change);
      added += 1;
    }
    return added;
  });
}

function listed(problems: readonly string[]): string {
  const rest = problems.length - MAX_NAMED;
  const named = problems.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${named} and ${formatNumber(rest)} more` : named;
}

/** Returns one mark as a ROI file, several as a ZIP file of them. */
export function roiFile(marks: readonly Mark[]): Blob {
  const [first] = marks;
  if (marks.length === 1 && first) return new Blob([markRoi(first)]);
  const zip = new ZipWriter(new Date());
  const taken = new Set<string>();
  for (const mark of marks) {
    const base = cleanName(markName(mark));
    let name = base;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}-${n}`;
    taken.add(name.toLowerCase());
    zip.add(`${name}.roi`, markRoi(mark));
  }
  return zip.end();
}
