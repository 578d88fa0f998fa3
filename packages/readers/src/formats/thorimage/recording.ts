/** Opens the scenes of a recording: its raw files, or its TIFFs. */

import { companionMissing, ignoreCorrupted, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { about } from '../../base/subject.js';
import { plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Folder } from '../../io/folder.js';
import type { OpenInput } from '../../model/acquisition.js';
import { findRawFiles, openSettings } from './files.js';
import { describeProblem, isStreaming } from './layout.js';
import { RAW_NAME, REGION_NAME, TIFF_NAME } from './magic.js';
import { readSettings, type ThorSettings } from './parse.js';
import { openRawScenes } from './raw.js';
import type { ThorScenes } from './scenes.js';
import { openTiffScenes } from './series.js';
import { parseThorName, sortThorFiles } from './tiff-files.js';

export interface ThorRecording extends ThorScenes {
  /** The settings. */
  source: ByteSource;
  /** Name of the file that was opened, when it has samples. */
  part: string | undefined;
}

/** True for a TIFF beside settings that have its channel. */
export function isOfRecording(input: OpenInput): boolean {
  const channel = parseThorName(input.probe.name)?.channel.toLowerCase();
  const settings = ignoreCorrupted(() => readSettings(openSettings(input)));
  return settings?.channels.some(({ name }) => name.toLowerCase() === channel) ?? false;
}

/** @throws AcqError `companion_missing`, `unsupported_format`, `decode_failed` */
export function openRecording(input: OpenInput): ThorRecording {
  const { probe, folder } = input;
  const source = openSettings(input);
  const part = probe.kind === 'directory' || source === input.source ? undefined : probe.name;
  const settings = about(source.name, () => readSettings(source));
  const notes = new Notes();
  const opened = openScenes(folder, settings, part, notes);
  for (const scene of opened.scenes) scene.warnings = [...notes.list(), ...scene.warnings];
  return { ...opened, source, part };
}

/** What was opened decides between raw files and TIFFs, else what there is, else the settings. */
function openScenes(folder: Folder, settings: ThorSettings, part: string | undefined, notes: Notes): ThorScenes {
  if (part !== undefined && REGION_NAME.test(part)) throw regionsUnread();
  const names = folder.list();
  const raw = findRawFiles(names);
  const channels = settings.channels.map(({ name }) => name);
  const tiffs = sortThorFiles(names, channels, notes);
  const isRaw = part === undefined ? raw.length > 0 && (tiffs.count === 0 || savesRaw(settings)) : RAW_NAME.test(part);
  const others = isRaw ? plural(tiffs.count, 'TIFF') : plural(raw.length, 'raw file');
  if (tiffs.count > 0 && raw.length > 0) {
    notes.add(`The folder also has ${others} of the recording, which are not shown. Open one of them to see these.`);
  }
  if (settings.problem !== undefined)
    notes.add(`${describeProblem(settings.problem)} Times, channels and steps may differ.`);
  if (isRaw) return openRawScenes(folder, settings, raw);
  if (tiffs.count > 0 && tiffs.scenes.length <= LIMITS.scenes) return openTiffScenes(folder, settings, tiffs, part);
  throw nothingFound(folder, names);
}

function savesRaw(settings: ThorSettings): boolean {
  return isStreaming(settings) ? settings.streaming.rawData === 1 : settings.bleachRaw === 1;
}

function nothingFound({ path }: Folder, names: readonly string[]) {
  if (names.some((name) => REGION_NAME.test(name))) return regionsUnread();
  const big = names.find((name) => /^Image(_\d+)*\.tiff?$/i.test(name) && !TIFF_NAME.test(name));
  if (big !== undefined) return unsupported(`describes "${big}", which has all planes. Open that file.`);
  const what = 'every file with samples, such as "Image_0001_0001.raw" or "ChanA_0001_0001_0001_0001.tif",';
  return companionMissing(what, path, 'Copy the whole folder.');
}

function regionsUnread() {
  return unsupported('several regions in one recording (Image_scan_…raw) are not supported. Save them as TIFF.');
}
