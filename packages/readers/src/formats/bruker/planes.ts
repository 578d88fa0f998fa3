/** Shapes and pixels of a scene: a TIFF (or a page of one) for each frame and channel. */

import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { grouped, plural } from '../../base/wording.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import type { SampleType } from '../../model/samples/types.js';
import { readPageSample } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { fileOf, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { lookUp, type RawBrukerFile, type RawBrukerFrame, type RawScan } from './parse.js';

/** A scene of a recording, with the files that it is read from. */
export interface BrukerSceneSource {
  plan: ScenePlan;
  scan: RawScan;
  files: MemberFiles;
}

/** Shape of the planes of a scene. */
export interface SceneShape {
  sampleType: SampleType;
  columns: number;
  /** Rows of the frames of a plane from the top down: one entry, except for line scans of several frames. */
  rows: number[];
  /** Date and time of the first TIFF (the end of its frame), or empty. */
  stamp: string;
  /** Bytes that reading a plane takes in addition to its target. */
  scratchBytes: number;
}

/** A page of a TIFF, opened. */
interface OpenedPage {
  tiff: TiffFile;
  page: TiffPage;
}

/** TIFF 6.0 tag DateTime. */
const DATE_TIME = 306;
/** Corrupted files that are skipped while looking for one that shows the shape. */
const MAX_CORRUPTED = 4;

/**
 * Reads the shape of a scene from its first TIFF, and for a line scan of several frames also from the last, which may
 * have been stopped. The frames between are assumed to be as the XML says, and checked when they are read.
 * `undefined` when all files are missing.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function probeShape(source: BrukerSceneSource): SceneShape | undefined {
  const { frames } = source.plan.sequences[0];
  const first = findFirstPage(source, frames);
  if (!first) return undefined;
  const { layout } = first.page;
  return {
    sampleType: layout.sampleType,
    columns: layout.width,
    rows: source.plan.kind === 'lines' ? frameRows(source, first, layout.height) : [layout.height],
    stamp: first.page.text(DATE_TIME) ?? '',
    scratchBytes: pageScratch(layout),
  };
}

/** Returns the rows of each frame of a line scan: of the first and the last by their files, else by the XML. */
function frameRows(source: BrukerSceneSource, first: FirstPage, height: number): number[] {
  const { frames } = source.plan.sequences[0];
  const statedFirst = statedLines(source, first.frame);
  const rows = frames.map((frame) => {
    const stated = statedLines(source, frame);
    return stated === undefined || stated === statedFirst ? height : stated;
  });
  const last = frames.length > 1 && findFirstPage(source, frames.slice(-1));
  if (last) rows[frames.length - 1] = last.page.layout.height;
  return rows;
}

/** Returns the shape that the XML states for a scene whose files are missing. The rest is assumed to be as in `like`. */
export function statedShape(source: BrukerSceneSource, like: SceneShape): SceneShape | undefined {
  const { plan, scan } = source;
  const frames = plan.kind === 'lines' ? plan.sequences[0].frames : [plan.frame];
  const columns = lookUp('pixelsperline', plan.frame, plan.sequences[0], scan) ?? like.columns;
  const rows = frames.map((frame) => statedLines(source, frame) ?? like.rows[0]!);
  const usable = [columns, ...rows].every((size) => Number.isSafeInteger(size) && size > 0);
  if (!usable) return undefined;
  return { sampleType: like.sampleType, columns, rows, stamp: '', scratchBytes: like.scratchBytes };
}

/** Returns the lines that the XML states for a frame. */
export function statedLines({ plan, scan }: BrukerSceneSource, frame: RawBrukerFrame): number | undefined {
  const lines = lookUp('linesperframe', frame, plan.sequences[0], scan);
  return lines !== undefined && Number.isSafeInteger(lines) && lines > 0 ? lines : undefined;
}

/** Returns the rows of a whole plane. */
export function totalRows({ rows }: SceneShape): number {
  return rows.reduce((sum, count) => sum + count, 0);
}

interface FirstPage {
  frame: RawBrukerFrame;
  page: TiffPage;
}

/** Finds the first file that is present and can be read. */
function findFirstPage({ plan, files }: BrukerSceneSource, frames: readonly RawBrukerFrame[]): FirstPage | undefined {
  let problem: unknown;
  let corrupted = 0;
  for (const frame of frames) {
    for (const { number } of plan.channels) {
      const file = fileOf(frame, number);
      if (!file || files.find(file.file) === undefined) continue;
      try {
        const opened = openPage(files, file);
        if (opened) return { frame, page: opened.page };
      } catch (error) {
        problem ??= error;
        if (!(error instanceof AcqError) || ++corrupted === MAX_CORRUPTED) throw problem;
      }
    }
  }
  if (problem) throw problem;
  return undefined;
}

/**
 * Opens a page with one sample per pixel; `undefined` when its file is missing.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export function openPage(files: MemberFiles, place: Pick<RawBrukerFile, 'file' | 'page'>): OpenedPage | undefined {
  const opened = openAnyPage(files, place);
  if (!opened || opened.page.layout.samplesPerPixel === 1) return opened;
  const { samplesPerPixel } = opened.page.layout;
  throw unsupported(`has ${grouped(samplesPerPixel)} samples per pixel; planes of Prairie View have 1`).about(
    opened.tiff.source.name,
  );
}

/** Like `openPage`, but accepts color images. */
export function openAnyPage(
  files: MemberFiles,
  { file, page }: Pick<RawBrukerFile, 'file' | 'page'>,
): OpenedPage | undefined {
  const tiff = files.tiff(file);
  if (!tiff) return undefined;
  if (page > tiff.pageCount) {
    throw decodeFailed(`has ${plural(tiff.pageCount, 'page')}, but the XML refers to page ${page}`).about(
      tiff.source.name,
    );
  }
  return { tiff, page: tiff.page(page - 1) };
}

/**
 * Reads one plane. A frame that the XML does not list, because the recording was stopped, becomes zeros: a warning of the
 * scene says so.
 * @throws AcqError `companion_missing` when a file that the XML names is missing, `decode_failed` when one is corrupted
 * or has another shape
 */
export async function readPlane(
  { plan, files }: Pick<BrukerSceneSource, 'plan' | 'files'>,
  shape: SceneShape,
  { channel, t, z }: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const number = plan.channels[channel]?.number;
  if (number === undefined) throw decodeFailed(`the scene has no channel ${channel}`).about(files.xmlName);
  let row = 0;
  for (const [i, frame] of plan.frames(t, z).entries()) {
    signal?.throwIfAborted();
    const rows = shape.rows[i]!;
    if (target.wants?.(row, rows) !== false) {
      const file = fileOf(frame, number);
      const part = new RowsTarget(target, row, rows);
      if (!file) putZeros(part, shape.sampleType);
      else {
        const opened = openPage(files, file);
        if (!opened) throw files.missing(file.file);
        await readChecked(opened, shape, part, signal);
      }
    }
    row += rows;
  }
}

async function readChecked(
  { tiff, page }: OpenedPage,
  shape: SceneShape,
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { width, height, sampleType } = page.layout;
  if (width !== shape.columns || height !== target.rows || sampleType !== shape.sampleType) {
    throw decodeFailed(
      `has ${grouped(height)} × ${grouped(width)} ${sampleType} samples, which does not match the recording ` +
        `(${grouped(target.rows)} × ${grouped(shape.columns)} ${shape.sampleType})`,
    ).about(tiff.source.name);
  }
  await readPageSample(tiff, page, 0, target, signal);
}

/** Images that the XML does not list. */
interface Unlisted {
  /** Of the last frame, where the recording was stopped. */
  last: number;
  /** Of frames before it, and the first of them. */
  within: number;
  first?: { cycle: number; frame: number; channel: string };
}

/** Finds the files of a scene that are missing from the folder listing, and counts the planes that the XML does not list. */
export function findMissing({ plan, files }: Pick<BrukerSceneSource, 'plan' | 'files'>): {
  names: string[];
  unlisted: Unlisted;
} {
  const names = new Set<string>();
  const unlisted: Unlisted = { last: 0, within: 0 };
  const end = plan.sequences.at(-1)!.frames.at(-1);
  for (const { cycle, frames } of plan.sequences) {
    for (const [i, frame] of frames.entries()) {
      const listed = new Set(frame.files.map(({ channel }) => channel));
      const absent = plan.channels.filter(({ number }) => !listed.has(number));
      if (frame === end) unlisted.last = absent.length;
      else if (absent[0]) {
        unlisted.within += absent.length;
        unlisted.first ??= { cycle, frame: i + 1, channel: absent[0].name || `Ch${absent[0].number}` };
      }
      for (const { file } of frame.files) if (files.find(file) === undefined) names.add(file);
    }
  }
  return { names: [...names], unlisted };
}
