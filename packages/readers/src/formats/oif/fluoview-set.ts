import { type AcqError, companionMissing, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { EntrySiblings } from '../../io/entry-siblings.js';
import type { Siblings } from '../../io/folder.js';
import { NameIndex } from '../../io/name-index.js';
import { hasOleStream, openOle } from '../../io/ole.js';
import { isOle } from '../../io/ole-magic.js';
import { type OlympusSettings, parseSettings } from '../../io/olympus-settings.js';
import { pathInside } from '../../io/paths.js';
import type { OpenInput } from '../../model/acquisition.js';

/** The stream of an OIB that lists the others. */
const OIB_INFO = 'OibInfo.txt';

/**
 * The files of a recording by base name, wherever they are stored: beside each other in the `.files` folder (OIF), or as
 * streams of an OLE compound file (OIB).
 */
export class FluoViewSet {
  /** Name of the opened file, for messages. */
  readonly name: string;
  readonly main: OlympusSettings;
  /** Base names of the data files: `s_C001T002.tif`. */
  readonly names: readonly string[];
  /** All files by their names beside the main file. Absent for an OIB, which is one file. */
  readonly files?: readonly string[];
  private readonly siblings: Siblings;

  /**
   * @param siblings the data files; an OIB has no path
   * @param files names of all files beside the main file, when the set is more than one file
   */
  constructor(name: string, main: OlympusSettings, siblings: Siblings, files?: readonly string[]) {
    this.name = name;
    this.main = main;
    this.siblings = siblings;
    this.names = siblings.list();
    if (files) this.files = files;
  }

  /** Opens a file by its base name, in any case; `undefined` when it is missing. */
  open(name: string): ByteSource | undefined {
    return this.siblings.openAnyCase(name);
  }

  /** Reads a settings file. @throws AcqError `decode_failed` */
  settings(name: string): OlympusSettings | undefined {
    const source = this.open(name);
    return source && readSettings(source);
  }

  /** Returns the error for a missing file. An OIB without one of its own streams is corrupted. */
  missing(what: string): AcqError {
    if (this.siblings.path !== undefined) return companionMissing(what, this.siblings.path);
    return decodeFailed(`${what} is missing from the file. Copy it again from the microscope.`);
  }
}

/** True for the text of an OIF, and for a compound file that lists the files of one. */
export function isFluoViewSet({ probe, source }: OpenInput): boolean {
  return !isOle(probe.head) || (source !== undefined && hasOleStream(source, (path) => path === OIB_INFO));
}

/** @throws AcqError `companion_missing`, `decode_failed`, `unsupported_format` */
export function openFluoViewSet(input: OpenInput): FluoViewSet {
  const source = input.source!;
  return isOle(input.probe.head) ? openOib(source, input.probe.name) : openOif(source, input);
}

/** Returns the name of the properties of a plane, which lie beside its TIFF. */
export function propertiesName(tiff: string): string {
  return tiff.replace(/\.tif$/i, '.pty');
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).pop() ?? path;
}

function readSettings(source: ByteSource): OlympusSettings {
  if (source.size > LIMITS.sidecarBytes) {
    throw decodeFailed(
      `the settings file has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.sidecarBytes)}`,
    ).about(source.name);
  }
  return parseSettings(source.read(0, source.size));
}

function openOib(source: ByteSource, name: string): FluoViewSet {
  const ole = openOle(source);
  const info = ole.open(OIB_INFO);
  if (!info) throw unsupported(`is an OLE compound file, but not an OIB: ${OIB_INFO} is missing`);
  const map = readSettings(info);
  // Names in OibInfo.txt include storages and folders; the stream's own name and the file's base name are unique.
  const paths = new Map([...ole.streams.keys()].map((path) => [baseName(path), path]));
  const streams = new Map<string, string>();
  for (const block of map.blocks) {
    if (block.name !== 'OibSaveInfo') continue;
    for (const [key, file] of block.values) {
      const path = /^Stream\d+$/.test(key) ? paths.get(key) : undefined;
      if (path !== undefined) streams.set(baseName(file), path);
    }
  }
  const mainStream = paths.get(map.text('OibSaveInfo', 'MainFileName') ?? '');
  const main = mainStream === undefined ? undefined : ole.open(mainStream);
  if (!main) {
    throw decodeFailed('OibInfo.txt does not name the stream that contains the settings; it is corrupted');
  }
  const siblings = new EntrySiblings([...streams.keys()], (file) => ole.open(streams.get(file)!));
  return new FluoViewSet(name, readSettings(main), siblings);
}

function openOif(source: ByteSource, input: OpenInput): FluoViewSet {
  const { folder, probe } = input;
  const main = readSettings(source);
  const inside = findPlanesFolder(input, main);
  const names = folder.list(inside);
  const siblings = new EntrySiblings(
    names,
    (name) => folder.open(`${inside}/${name}`),
    pathInside(folder.path, inside),
  );
  return new FluoViewSet(probe.name, main, siblings, [probe.name, ...names.map((name) => `${inside}/${name}`)]);
}

/** Finds the folder of the planes: named after the file, else as the settings say, else the only one beside the file. */
function findPlanesFolder({ folder, probe }: OpenInput, main: OlympusSettings): string {
  const entries = folder.list();
  const spelled = new NameIndex(entries);
  const original = main.text('ProfileSaveInfo', 'PtyFileNameS')?.split(/[\\/]/)[0];
  for (const candidate of [`${probe.name}.files`, original]) {
    const match = candidate && spelled.find(candidate);
    if (match) return match;
  }
  const candidates = entries.filter((name) => /\.oif\.files$/i.test(name));
  if (candidates.length === 1) return candidates[0]!;
  throw companionMissing(`the folder "${probe.name}.files" with its planes`, folder.path);
}
