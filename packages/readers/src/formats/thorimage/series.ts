/** Series of TIFFs: a file for each plane. Only the first file of each channel lists the others in its OME-XML. */

import { AcqError, ignoreCorrupted } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../base/wording.js';
import type { Folder } from '../../io/folder.js';
import type { NamedPlane, SceneInfo } from '../../model/acquisition.js';
import { type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { spreadIndices } from '../../model/metadata/intervals.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { bandsOf } from '../../tiff/chunk-table.js';
import { checkDecodable } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffPage } from '../../tiff/types.js';
import { isStreaming, rowKindOf } from './layout.js';
import { MemberTiffs } from './member-tiffs.js';
import { toScene } from './metadata.js';
import type { ThorSettings } from './parse.js';
import { readTiffPlane } from './planes.js';
import type { ThorScenes } from './scenes.js';
import type { ThorFiles } from './tiff-files.js';

/** Files whose time stamps are read when a set is opened; those of longer series make the step. */
const MAX_STAMPS = 16;
/** Corrupted files that are skipped while looking for one that shows the shape. */
const MAX_CORRUPTED = 4;

/**
 * @param part the file that was opened, which shows the shape of all
 * @throws AcqError `decode_failed`, `unsupported_format` when no file can be read
 */
export function openTiffScenes(
  folder: Folder,
  settings: ThorSettings,
  files: ThorFiles,
  part: string | undefined,
): ThorScenes {
  const tiffs = new MemberTiffs(folder);
  const page = firstPage(tiffs, files, part);
  const series: ThorSeries = { settings, files, tiffs, page };
  const scenes = files.scenes.map((_, scene) => toSeriesScene(series, scene));
  const { layout } = page;
  return {
    scenes,
    names: files.names,
    find: files.find,
    readPlane: (address, target, signal) => readTiffPlane(tiffs, files.at(address), layout.sampleType, target, signal),
    readPlaneColumns: (scene) =>
      collectColumns(scenes[scene]!, (place) => ({ time: stampOf(series, { scene, ...place }) })),
    scratchBytes: pageScratch(layout),
    checkScene: () => void checkDecodable(page),
    bands: () => bandsOf(layout),
  };
}

interface ThorSeries {
  settings: ThorSettings;
  files: ThorFiles;
  tiffs: MemberTiffs;
  /** Shows the shape of all planes. */
  page: TiffPage;
}

function firstPage(tiffs: MemberTiffs, { names }: ThorFiles, part: string | undefined): TiffPage {
  if (part !== undefined && names.includes(part)) return tiffs.open(part).page(0);
  let problem: unknown;
  for (const name of names.slice(0, MAX_CORRUPTED)) {
    try {
      const page = tiffs.open(name).page(0);
      // Throws for a shape that cannot be read.
      if (page.layout.width > 0) return page;
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      problem ??= error;
    }
  }
  throw problem;
}

function toSeriesScene({ settings, files, page, ...series }: ThorSeries, scene: number): SceneInfo {
  const notes = new Notes();
  describeGaps(files, settings, notes);
  const { width, height, sampleType } = page.layout;
  const T = seriesTimes({ settings, files, page, ...series }, scene, notes);
  return toScene(
    settings,
    {
      name: files.scenes.length > 1 ? `Position ${scene + 1}` : '',
      sampleType,
      channels: files.channels,
      sizes: { T: files.T.length, Z: files.Z.length, Y: height, X: width },
      rowKind: rowKindOf(settings, false),
      frameRows: height,
    },
    T,
    notes,
  );
}

function describeGaps({ scenes, channels, Z, T, count }: ThorFiles, settings: ThorSettings, notes: Notes): void {
  const sections = settings.zStage.steps ?? Z.length;
  // The time points of a series are left over in streaming.
  const times = isStreaming(settings) ? T.length : (settings.timelapse.timepoints ?? T.length);
  const say = (planned: number, what: string, found: number) =>
    notes.add(`ThorImage planned ${plural(planned, what)}, but the folder has ${grouped(found)}. Showing these.`);
  if (sections > Z.length && Z.length > 1) say(sections, 'section', Z.length);
  if (times > T.length) say(times, 'time point', T.length);
  const missing = scenes.length * channels.length * Z.length * T.length - count;
  if (missing > 0)
    notes.add(asCorrupted(`${countAre(missing, 'file')} missing from the set. Showing zeros in their place.`));
}

function seriesTimes(series: ThorSeries, scene: number, notes: Notes): ResolvedAxis {
  const { settings, files } = series;
  const { T, Z, channels } = files;
  const values = new Float64Array(T.length).fill(Number.NaN);
  for (const t of spreadIndices(T.length, MAX_STAMPS)) {
    values[t] = stampOf(series, { scene, channel: 0, t, z: 0 }) ?? Number.NaN;
  }
  const planes = T.length * Z.length * channels.length;
  const measured = { at: values, what: 'time stamps (DeltaT)', isSample: T.length > MAX_STAMPS, planes };
  const { intervalSec = 0 } = settings.timelapse;
  const nominal = intervalSec > 0 ? [{ step: intervalSec, what: 'Timelapse intervalSec' }] : [];
  return resolveAxis('T', T.length, { unit: 'seconds', nominal, measured }, notes);
}

/** Returns the seconds that the OME-XML of a file has for its plane. */
function stampOf({ files, tiffs }: ThorSeries, address: NamedPlane & { channel: number }): number | undefined {
  const member = files.at(address);
  if (member === undefined) return undefined;
  // A plane that is corrupted says so when it is read.
  const description = ignoreCorrupted(() => tiffs.open(member).page(0).text(TAG.imageDescription)) ?? '';
  const text = /<(?:\w+:)?Plane\s[^<>]{0,2000}?\bDeltaT\s*=\s*"([^"]*)"/.exec(description)?.[1];
  return text ? Number(text) : undefined;
}
