/** Shapes and pixels of a scene: a TIFF (or a page of one) for each frame and channel. */
import type { PlaneAddress } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../samples/plane-target.js';
import type { SampleType } from '../../samples/types.js';
import { readPageSample } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { plural } from '../../wording.js';
import { fileOf, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { lookUp, type RawFile, type RawFrame, type RawScan } from './parse.js';

/** What the planes of a scene look like. */
export interface SceneShape {
  sampleType: SampleType;
  columns: number;
  /** Rows of the frames of a plane from the top down: one entry, but for line scans of several frames. */
  rows: number[];
  /** Date and time of the first TIFF (the end of its frame), or empty. */
  stamp: string;
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
}

/** TIFF 6.0 tag DateTime. */
const DATE_TIME = 306;
/** Damaged files that are passed over in the search for one that tells the shape. */
const TRIES = 4;

/**
 * The shape of a scene by its first TIFF (of a line scan of several frames also by its last, which may have been
 * stopped); the frames between are taken to be what the XML says, and checked when they are read.
 * `undefined` when no file of it is there.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function probeShape(plan: ScenePlan, scan: RawScan, files: MemberFiles): SceneShape | undefined {
  const first = firstPage(plan.sequences[0].frames, plan, files);
  if (!first) return undefined;
  const { layout } = first.page;
  const shape: SceneShape = {
    sampleType: layout.sampleType,
    columns: layout.width,
    rows: [layout.height],
    stamp: first.page.text(DATE_TIME) ?? '',
    scratchBytes: pageScratch(layout),
  };
  if (plan.kind !== 'lines') return shape;
  const { frames } = plan.sequences[0];
  const announced = linesOf(first.frame, plan, scan);
  shape.rows = frames.map((frame) => {
    const own = linesOf(frame, plan, scan);
    return own === undefined || own === announced ? layout.height : own;
  });
  const last = frames.length > 1 && firstPage(frames.slice(-1), plan, files);
  if (last) shape.rows[frames.length - 1] = last.page.layout.height;
  return shape;
}

/** What the XML says of a scene whose files are not there. */
export function announcedShape(plan: ScenePlan, scan: RawScan, like: SceneShape | undefined): SceneShape | undefined {
  const frames = plan.kind === 'lines' ? plan.sequences[0].frames : [plan.frame];
  const columns = lookUp('pixelsperline', plan.frame, plan.sequences[0], scan) ?? like?.columns;
  const rows = frames.map((frame) => linesOf(frame, plan, scan) ?? like?.rows[0]);
  const usable = [columns, ...rows].every((n) => n !== undefined && Number.isSafeInteger(n) && n > 0);
  if (!usable || !like) return undefined;
  return {
    sampleType: like.sampleType,
    columns: columns as number,
    rows: rows as number[],
    stamp: '',
    scratchBytes: like.scratchBytes,
  };
}

export function linesOf(frame: RawFrame, plan: ScenePlan, scan: RawScan): number | undefined {
  const lines = lookUp('linesperframe', frame, plan.sequences[0], scan);
  return lines !== undefined && Number.isSafeInteger(lines) && lines > 0 ? lines : undefined;
}

/** Rows of a whole plane. @throws AcqError `decode_failed` beyond all reason */
export function totalRows(name: string, { rows, columns }: SceneShape): number {
  const total = rows.reduce((sum, count) => sum + count, 0);
  if (total > LIMITS.planeSide || columns > LIMITS.planeSide) {
    throw decodeFailed(`${name}: planes of ${total} × ${columns} pixels are beyond all reason`);
  }
  return total;
}

interface Found {
  frame: RawFrame;
  page: TiffPage;
}

/** The first file that is there and sound. */
function firstPage(frames: RawFrame[], plan: ScenePlan, files: MemberFiles): Found | undefined {
  let damage: unknown;
  let tries = 0;
  for (const frame of frames) {
    for (const { number } of plan.channels) {
      const file = fileOf(frame, number);
      if (!file || files.find(file.file) === undefined) continue;
      try {
        const opened = openPage(files, file);
        if (opened) return { frame, page: opened.page };
      } catch (error) {
        damage ??= error;
        if (!(error instanceof AcqError) || ++tries === TRIES) throw damage;
      }
    }
  }
  if (damage) throw damage;
  return undefined;
}

/** `undefined` when the file is not there. */
export function openPage(files: MemberFiles, place: Pick<RawFile, 'file' | 'page'>) {
  const opened = openAnyPage(files, place);
  if (!opened || opened.page.layout.samplesPerPixel === 1) return opened;
  throw unsupported(
    `${opened.tiff.source.name}: has ${opened.page.layout.samplesPerPixel} samples per pixel; planes of Prairie View have one`,
  );
}

/** Like `openPage`, colours allowed. */
export function openAnyPage(files: MemberFiles, { file, page }: Pick<RawFile, 'file' | 'page'>) {
  const tiff = files.tiff(file);
  if (!tiff) return undefined;
  if (page > tiff.pageCount) {
    throw decodeFailed(
      `${tiff.source.name}: has ${plural(tiff.pageCount, 'page')}, but the XML refers to page ${page}`,
    );
  }
  return { tiff, page: tiff.page(page - 1) };
}

/**
 * Reads one plane. A frame that the XML does not list, because the recording was stopped, is zeros: a warning of the
 * scene says so.
 * @throws AcqError `companion_missing` when a file that the XML names is missing, `decode_failed` when one is damaged or
 * of another shape
 */
export async function readPlane(
  plan: ScenePlan,
  shape: SceneShape,
  files: MemberFiles,
  { channel, t, z }: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const number = plan.channels[channel]?.number;
  if (number === undefined) throw decodeFailed(`the recording has no channel ${channel}`);
  let row = 0;
  for (const [i, frame] of plan.frames(t, z).entries()) {
    signal?.throwIfAborted();
    const rows = shape.rows[i] as number;
    if (target.wants?.(row, rows) !== false) {
      const file = fileOf(frame, number);
      const part = new RowsTarget(target, row, rows);
      if (!file) putZeros(part, shape.sampleType);
      else {
        const opened = openPage(files, file);
        if (!opened) throw files.missing(file.file);
        await readChecked(opened.tiff, opened.page, shape, part, signal);
      }
    }
    row += rows;
  }
}

async function readChecked(
  tiff: TiffFile,
  page: TiffPage,
  shape: SceneShape,
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { width, height, sampleType } = page.layout;
  if (width !== shape.columns || height !== target.rows || sampleType !== shape.sampleType) {
    throw decodeFailed(
      `${tiff.source.name}: is ${height}×${width} ${sampleType}, where the recording has ` +
        `${target.rows}×${shape.columns} ${shape.sampleType}`,
    );
  }
  await readPageSample(tiff, page, 0, target, signal);
}

/** Names of the files of a scene that are not in the folder, by the listing alone, and how many frames lack a channel. */
export function missingFiles(plan: ScenePlan, files: MemberFiles): { names: string[]; unnamed: number } {
  const names = new Set<string>();
  let unnamed = 0;
  for (const { frames } of plan.sequences) {
    for (const frame of frames) {
      unnamed += plan.channels.length - new Set(frame.files.map(({ channel }) => channel)).size;
      for (const { file } of frame.files) if (files.find(file) === undefined) names.add(file);
    }
  }
  return { names: [...names], unnamed };
}
