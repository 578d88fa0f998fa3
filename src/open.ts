import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import type { Acquisition, Format, OpenInput, Probe } from './acquisition.js';
import { checkByteOrder } from './byte-order.js';
import { type AcqError, unsupported } from './errors.js';
import { type FileNames, nameFirstInError, nameFirstInWarnings, withNamedErrors } from './file-first.js';
import { extensionOf, FORMATS, supportedExtensions } from './formats/index.js';
import { type Fingerprint, openError } from './io/byte-source.js';
import { Folder } from './io/folder.js';
import { dropUnusableSteps } from './metadata/steps.js';
import { oneOf } from './wording.js';

const HEAD_BYTES = 4096;
/** Enough names to recognise a directory store; a folder of a million files is not read whole for that. */
const PROBE_ENTRIES = 10_000;

export interface OpenOptions {
  signal?: AbortSignal;
  /** Extensions the operator allows; all supported ones by default. */
  allowedExtensions?: readonly string[];
  /** Real absolute path of the file that was named, when the given path is already the acquisition it belongs to. */
  part?: string;
}

/** An acquisition with its descriptors; `close` releases them all. */
export interface OpenedAcquisition {
  acquisition: Acquisition;
  format: Format;
  /** Real absolute path. */
  path: string;
  /** Every file that was opened so far. */
  fingerprints(): Fingerprint[];
  /** Bytes of all files that belong to the acquisition; undefined when there are too many to look at. */
  size(): number | undefined;
  close(): void;
}

/**
 * Opens what is at `path`: finds the format by content (the extension breaks ties) and reads metadata, no pixels.
 * @throws AcqError `path_not_found`, `path_not_readable`, `path_not_allowed`, `unsupported_format`, `decode_failed`,
 * `companion_missing`
 */
export async function openAcquisition(path: string, options: OpenOptions = {}): Promise<OpenedAcquisition> {
  checkByteOrder();
  const allowed = options.allowedExtensions ?? supportedExtensions();
  const named = resolveReal(path);
  const real = homeOf(named, allowed);
  if (extensionOf(real, allowed) === undefined && !isDirectory(real)) throw unreadableName(real);
  const input = probePath(real);
  const part = options.part ?? (real === named || isDirectory(named) ? undefined : named);
  if (part !== undefined) input.part = part;
  if (options.signal) input.signal = options.signal;
  const names: FileNames = { opened: input.probe.name, others: () => input.folder.sourceNames() };
  try {
    options.signal?.throwIfAborted();
    const format = await byContent(chooseFormat(input.probe, allowed), input);
    // A name is easily changed, and a folder may have any: what the operator allows is the format.
    if (!format.extensions.some((extension) => allowed.includes(extension))) throw formatNotAllowed(real, format);
    const reader = await format.load();
    const acquisition = await reader.open(input);
    if (input.folder.exhaustion) throw input.folder.exhaustion;
    dropUnusableSteps(acquisition.info);
    for (const scene of acquisition.info.scenes) scene.warnings = nameFirstInWarnings(scene.warnings, names);
    return {
      acquisition: withNamedErrors(acquisition, names),
      format,
      path: real,
      fingerprints: () => input.folder.fingerprints(),
      size: () => sizeOf(acquisition, input),
      close: () => input.folder.close(),
    };
  } catch (error) {
    input.folder.close();
    throw input.folder.exhaustion ?? nameFirstInError(error, names);
  }
}

/**
 * True when a reader recognizes the folder as an acquisition; it may still be corrupted.
 * @throws AcqError `path_not_found`, `path_not_readable`
 */
export function isAcquisitionFolder(path: string): boolean {
  const { probe } = probePath(resolveReal(path));
  return probe.kind === 'directory' && FORMATS.some((format) => format.sniff(probe) !== false);
}

/** True when a folder is part of an acquisition that is there, such as the `scan.oif.files` of `scan.oif`. */
export function isPartFolder(path: string): boolean {
  const real = resolveReal(path);
  return isDirectory(real) && homeOf(real, supportedExtensions()) !== real;
}

function sizeOf(acquisition: Acquisition, { source, folder }: OpenInput): number | undefined {
  if (!acquisition.files) return source?.size;
  const files = acquisition.files();
  if (files === 'many') return undefined;
  return folder.sizeOf(files === 'folder' ? 'everything' : files);
}

/** Picks the reader: certain content beats possible content beats the extension. */
export function chooseFormat(probe: Probe, allowed: readonly string[], formats = FORMATS): Format {
  const verdicts = formats.map((format) => ({ format, verdict: format.sniff(probe) }));
  const own = (format: Format) => extensionOf(probe.name, format.extensions) !== undefined;
  for (const wanted of ['sure', 'maybe'] as const) {
    const hits = verdicts.filter(({ verdict }) => verdict === wanted).map(({ format }) => format);
    const chosen = hits.find(own) ?? hits[0];
    if (chosen) return chosen;
  }
  for (const format of formats) {
    const instead = format.openInstead?.(probe);
    if (instead !== undefined) throw unsupported(`${probe.name}: ${instead}`);
  }
  if (probe.kind === 'directory') {
    const readable = formats.filter(({ opensFolders }) => opensFolders).map(({ label }) => label);
    throw unsupported(
      `${probe.name}: is a folder, but not an acquisition (${oneOf(readable)}). Open a file inside it.`,
    );
  }
  const claimed = extensionOf(probe.name, allowed);
  if (probe.size === 0) throw unsupported(`${probe.name}: is empty (0 bytes). Copy or export it again.`);
  throw unsupported(
    `${probe.name}: the content is not that of ${claimed ? `a ${claimed} file, or of another` : 'a'} supported format. ` +
      'The file may be corrupted or have the wrong extension.',
  );
}

/** Of the formats of one container the one that its content is of, whatever the file is called. */
async function byContent(chosen: Format, input: OpenInput): Promise<Format> {
  if (chosen.container === undefined) return chosen;
  const others = FORMATS.filter((format) => format !== chosen && format.container === chosen.container);
  for (const format of [chosen, ...others]) {
    const reader = await format.load();
    if (reader.claims?.(input)) return format;
  }
  return chosen;
}

/**
 * For a file or folder that is part of an acquisition, returns the paths that represent the whole, limited to what is
 * allowed; a part that can be read by itself is then opened by itself. A folder may have any name. Pure: nothing need
 * exist.
 */
export function homesOf(path: string, kind: 'file' | 'folder', allowed: readonly string[]): string[] {
  return FORMATS.flatMap((format) => {
    const home = kind === 'file' ? format.home?.(path) : format.homeOfFolder?.(path);
    if (home === undefined) return [];
    const permitted = format.opensFolders
      ? format.extensions.some((extension) => allowed.includes(extension))
      : extensionOf(basename(home), allowed) !== undefined;
    return permitted ? [home] : [];
  });
}

/** A part of an acquisition opens the acquisition, file or folder, when that is there. */
function homeOf(real: string, allowed: readonly string[]): string {
  const homes = homesOf(real, isDirectory(real) ? 'folder' : 'file', allowed);
  const home = homes.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
  return home === undefined ? real : resolveReal(home);
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw openError(path, error);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw openError(path, error);
  }
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    throw openError(path, error);
  }
}

/** The error for a file whose extension is not supported, or not allowed. The formats are too many to list. */
export function unreadableName(path: string): AcqError {
  const name = basename(path);
  const known = extensionOf(name);
  if (known !== undefined) return unsupported(`${name}: this server does not open ${known} files (--allow-ext).`);
  const { ext } = parse(name);
  const problem =
    ext === '' ? 'has no file extension' : `${ext.slice(0, 20)} is not the extension of a supported format`;
  return unsupported(`${name}: ${problem}. To list the supported formats, run \`acqstore formats\`.`);
}

function formatNotAllowed(path: string, { label }: Format): AcqError {
  return unsupported(
    `${basename(path)}: the content is ${label}, which this server does not open, whatever the name (--allow-ext).`,
  );
}

function probePath(real: string): OpenInput {
  if (isDirectory(real)) {
    const folder = new Folder(real, `${basename(real)}/`);
    const entries = entriesOf(real).slice(0, PROBE_ENTRIES);
    return {
      path: real,
      folder,
      probe: { name: basename(real), kind: 'directory', head: new Uint8Array(), entries, size: 0 },
    };
  }
  const folder = new Folder(dirname(real));
  const source = folder.openOwn(real);
  try {
    const head = source.read(0, Math.min(HEAD_BYTES, source.size));
    return {
      path: real,
      folder,
      source,
      probe: { name: basename(real), kind: 'file', head, entries: [], size: source.size },
    };
  } catch (error) {
    folder.close();
    throw error;
  }
}
