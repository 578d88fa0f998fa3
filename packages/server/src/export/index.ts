/** Exports acquisitions to files of other programs. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { formatFileSize } from '@acquisition-store/client/answers/describe.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { Notes } from '@acquisition-store/readers/base/notes.js';
import { about } from '@acquisition-store/readers/base/subject.js';
import { type Choice, cutAcquisition } from '@acquisition-store/readers/derive/writers/cut.js';
import { OutputError, toOutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { fillCoordinates } from '@acquisition-store/readers/derive/writers/plane-text.js';
import type { FormatOptions } from '@acquisition-store/readers/derive/writers/types.js';
import type { Parts } from '@acquisition-store/readers/model/recording.js';
import { type OpenedAcquisition, openAcquisition } from '../open.js';
import { describeChanges, type Fingerprint, isBelow } from '../platform-node/file-source.js';
import { writeCsv } from './csv.js';
import { writeImageJ } from './imagej.js';
import { EXPORT_NAMES, type ExportName } from './names.js';
import { writeNpy } from './npy.js';
import { writeOmeTiff } from './ome-tiff.js';
import { writeOmeZarr } from './ome-zarr.js';
import { removeLeftovers } from './partial.js';
import { writePng } from './png.js';
import type { ExportFormat } from './types.js';

const WRITERS: Readonly<Record<ExportName, Omit<ExportFormat, 'id'>>> = {
  'ome-zarr': { extension: '.ome.zarr', isPlane: false, write: writeOmeZarr },
  'ome-tiff': { extension: '.ome.tif', isPlane: false, write: writeOmeTiff },
  imagej: { extension: '.imagej.tif', isPlane: false, write: writeImageJ },
  npy: { extension: '.npy', isPlane: false, write: writeNpy },
  csv: { extension: '.csv', isPlane: true, write: writeCsv },
  png: { extension: '.png', isPlane: true, write: writePng },
};

export const EXPORT_FORMATS: readonly ExportFormat[] = EXPORT_NAMES.map((id) => ({ id, ...WRITERS[id] }));

/** One acquisition to export. Crosses to a thread as it is. */
export interface ExportTask {
  /** Absolute path of the acquisition. */
  path: string;
  /** `id` of a format of the table. */
  format: string;
  /** Absolute path of the output. */
  target: string;
  /** Whether the user gave the name of the output, and not only the folder. */
  isNamed: boolean;
  choice: Choice;
  /** `all`: exports the recording that the file is a part of. */
  parts?: Parts;
  options: FormatOptions;
  overwrite: boolean;
  /** Removes what killed exports have left in the folder of the target. */
  removeLeftovers: boolean;
  maxPlaneBytes: number;
  /** See `createToken`. */
  token: string;
}

export interface ExportResult {
  /** Absolute path of the file or folder that was written. */
  output: string;
  /** What was assumed or repaired in the chosen scenes. */
  warnings: string[];
  /** What the output does not keep. */
  notes: string[];
}

/** How far an export is. */
export interface Progress {
  planes: number;
  planeCount: number;
  /** Bytes written so far. */
  bytes: number;
}

export interface Finished {
  /** Path of what was written, under its temporary name. */
  partial: string;
  /** Absolute path that it will have. */
  output: string;
  /** Every file that was read. */
  files: Fingerprint[];
}

export interface ExportEvents {
  onProgress: (progress: Progress) => void;
  /** Called when everything is written, before the disk confirms that it has the data, and the output gets its name. */
  onFinishing: (finished: Finished) => void;
}

/**
 * Exports one acquisition. The output appears under its name when it is complete; whenever that fails, nothing is left.
 * @throws AcqError of `openAcquisition` and `cutAcquisition`, `source_changed`; OutputError
 */
export async function exportAcquisition(task: ExportTask, events: ExportEvents): Promise<ExportResult> {
  const format = EXPORT_FORMATS.find(({ id }) => id === task.format);
  if (!format) throw new Error(`no format ${task.format}`);
  const opened = await openAcquisition(task.path, { parts: task.parts, isKnown: task.parts !== 'all' });
  try {
    const name = basename(opened.path);
    const choice = format.isPlane ? chooseScene(task.choice, opened) : task.choice;
    const notes = new Notes();
    const cut = about(name, () => cutAcquisition(opened, choice, task.maxPlaneBytes));
    checkTarget(task.target, opened);
    if (task.removeLeftovers) removeLeftovers(dirname(task.target));
    await fillCoordinates({ cut, name, notes });
    const size = opened.size();
    const progress = { planes: 0, planeCount: format.isPlane ? 1 : cut.planeCount, bytes: 0 };
    const output = await format.write({
      cut,
      name,
      fileSize: size === undefined ? '' : formatFileSize(size),
      target: task.target,
      isNamed: task.isNamed,
      stage: {
        token: task.token,
        overwrite: task.overwrite,
        onPiece: (bytes) => {
          progress.bytes += bytes;
          events.onProgress(progress);
        },
      },
      options: task.options,
      notes,
      onPlane: () => {
        progress.planes += 1;
        events.onProgress(progress);
      },
      onFinishing: (finished) => {
        checkUnchanged(opened, name);
        // Only now are all files of a set known.
        checkTarget(task.target, opened);
        events.onFinishing({ ...finished, files: opened.fingerprints() });
      },
    });
    const warnings = [...new Set(cut.info.scenes.flatMap((scene) => scene.warnings))];
    return { output, warnings, notes: notes.list() };
  } catch (error) {
    throw toOutputError(basename(task.target), error);
  } finally {
    opened.close();
  }
}

/** A plane is of the scene of the file that was named, else of the first one. */
function chooseScene(choice: Choice, { acquisition }: OpenedAcquisition): Choice {
  return { ...choice, scene: choice.scene ?? acquisition.info.named?.scene ?? 0 };
}

/** What was read would be a mixture if the files changed meanwhile. */
function checkUnchanged(opened: OpenedAcquisition, name: string): void {
  const changes = describeChanges(opened.fingerprints());
  if (changes.length === 0) return;
  throw new AcqError('source_changed', `changed during the export: ${changes.join('; ')}. Export it again.`, {
    subject: name,
  });
}

/** Refuses to write over a file of the source, also through links, or into a folder that is the acquisition. */
function checkTarget(target: string, opened: OpenedAcquisition): void {
  const name = basename(target);
  const stats = statSync(target, { bigint: true, throwIfNoEntry: false });
  const isSource = (path: string) => {
    const source = statSync(path, { bigint: true, throwIfNoEntry: false });
    return source !== undefined && source.ino === stats?.ino && source.dev === stats.dev;
  };
  const paths = [opened.path, ...opened.fingerprints().map(({ path }) => path)];
  if (stats && paths.some(isSource)) {
    const text = 'is the acquisition itself, or one of its files. Choose another name or folder (--out).';
    throw new OutputError('output_is_source', name, text);
  }
  if (statSync(opened.path).isDirectory() && isBelow(opened.path, existingFolder(dirname(target)))) {
    const text = `would be written into ${basename(opened.path)}, the acquisition itself. Choose another folder (--out).`;
    throw new OutputError('output_is_source', name, text);
  }
}

/** Returns the real path of a folder, or of the nearest one above it that exists. */
function existingFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) || folder === dirname(folder)) return realpathSync(folder);
  }
}
