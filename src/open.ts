import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { Acquisition, Format, OpenInput, Probe } from './acquisition.js';
import { checkByteOrder } from './byte-order.js';
import type { Interpretation } from './contract/interpretation.js';
import { AcqError, unsupported } from './errors.js';
import { type FileNames, nameFirstInError, nameFirstInScene, withNamedErrors } from './file-first.js';
import { extensionOf, FORMATS, supportedExtensions } from './formats/index.js';
import { interpretPlanes } from './interpretation.js';
import { openError } from './io/byte-source.js';
import type { Fingerprint } from './io/fingerprint.js';
import { Folder } from './io/folder.js';
import { readNames, replacedWhileOpened } from './io/own-path.js';
import { dropUnusableSteps, noteImplausibleSteps } from './metadata/steps.js';
import { notesOf } from './notes.js';
import { describeForeignContent } from './paths/foreign-files.js';
import { type Located, locate } from './paths/locate.js';
import { unrestrictedLook } from './paths/look.js';
import { usePlatform } from './platform.js';
import { NODE } from './platform-node/index.js';
import { oneOf } from './wording.js';

usePlatform(NODE);

const HEAD_BYTES = 4096;
/** Enough names to recognise a directory store; a folder of a million files is not read whole for that. */
const PROBE_ENTRIES = 10_000;

export interface OpenOptions {
  signal?: AbortSignal;
  /** Extensions the operator allows; all supported ones by default. */
  allowedExtensions?: readonly string[];
  /** What the caller says the planes are. */
  interpret?: Interpretation | undefined;
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
  /** True when all of its files were opened already: no plane is in another one. */
  isWhole(): boolean;
  close(): void;
}

/**
 * Opens the acquisition that `path` stands for: resolves the path, then reads metadata, no pixels.
 * @param path of a file or folder of the acquisition; a relative one starts at the working directory
 * @throws AcqError `path_not_found`, `path_not_readable`, `path_not_allowed`, `unsupported_format`, `decode_failed`,
 * `companion_missing`
 */
export async function openAcquisition(path: string, options: OpenOptions = {}): Promise<OpenedAcquisition> {
  checkByteOrder();
  const allowedExtensions = options.allowedExtensions ?? supportedExtensions();
  const policy = { roots: [], allowedExtensions, platform: process.platform };
  const located = locate(path && resolve(path), policy, { look: unrestrictedLook(), isPicked: true });
  return openAt(located, { ...options, allowedExtensions });
}

/**
 * Opens an acquisition that `locate` has found: finds the format by content (the extension breaks ties) and reads
 * metadata, no pixels. Neither resolves the path nor judges its name.
 * @param located without `ino`, whatever is at the path is opened: the caller compares fingerprints
 * @throws AcqError like `openAcquisition`; `path_not_allowed` when the path was replaced after it was located
 */
export async function openAt(
  { path, part, ino }: Located,
  { allowedExtensions: allowed = supportedExtensions(), interpret, signal }: OpenOptions = {},
): Promise<OpenedAcquisition> {
  const input = probePath(path, ino);
  if (part !== undefined) input.part = relative(input.folder.path, part).replaceAll(sep, '/');
  if (signal) input.signal = signal;
  const names: FileNames = { opened: input.probe.name, others: () => input.folder.sourceNames() };
  try {
    signal?.throwIfAborted();
    const format = await byContent(chooseFormat(input.probe, allowed), input);
    // A name is easily changed, and a folder may have any: what the operator allows is the format.
    if (!format.extensions.some((extension) => allowed.includes(extension))) throw formatNotAllowed(path, format);
    const reader = await format.load();
    const opened = await reader.open(input);
    if (input.folder.exhaustion) throw input.folder.exhaustion;
    // First: an axis that became another one has no step that could be implausible.
    const acquisition = interpret ? interpretPlanes(opened, interpret) : opened;
    for (const scene of acquisition.info.scenes) scene.warnings = notesOf(scene.warnings).list();
    dropUnusableSteps(acquisition.info);
    noteImplausibleSteps(acquisition.info);
    for (const scene of acquisition.info.scenes) nameFirstInScene(scene, names);
    return {
      acquisition: withNamedErrors(acquisition, names),
      format,
      path,
      fingerprints: () => input.folder.fingerprints(),
      size: () => sizeOf(acquisition, input),
      isWhole: () => isWhole(acquisition, input),
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
  const { probe } = probeFolder(realFolder(path));
  return FORMATS.some((format) => format.sniff(probe) !== false);
}

function sizeOf(acquisition: Acquisition, { source, folder }: OpenInput): number | undefined {
  if (!acquisition.files) return source?.size;
  const files = acquisition.files();
  if (files === 'many') return undefined;
  return folder.sizeOf(files === 'folder' ? 'everything' : files);
}

function isWhole(acquisition: Acquisition, { folder }: OpenInput): boolean {
  const files = acquisition.files?.() ?? [];
  if (typeof files === 'string') return false;
  for (const name of files) if (!folder.hasOpened(name)) return false;
  return true;
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
  const foreign = describeForeignContent(probe.head);
  if (foreign !== undefined) throw unsupported(`${probe.name}: ${foreign}`);
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

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw openError(path, error);
  }
}

function entriesOf(path: string): string[] {
  try {
    return readNames(path, path);
  } catch (error) {
    throw error instanceof AcqError ? error : openError(path, error);
  }
}

function formatNotAllowed(path: string, { label }: Format): AcqError {
  return unsupported(
    `${basename(path)}: the content is ${label}, which this server does not open (--allow-ext). Its name makes no difference.`,
  );
}

/** @param ino of the file or folder that was located; unchecked without it */
function probePath(path: string, ino: string | undefined): OpenInput {
  const stats = statPath(path);
  if (!stats.isDirectory()) return probeFile(path, ino);
  checkIdentity(path, ino, String(stats.ino));
  return probeFolder(path);
}

function probeFolder(path: string): OpenInput {
  const entries = entriesOf(path).slice(0, PROBE_ENTRIES);
  return {
    folder: new Folder(path, `${basename(path)}/`),
    probe: { name: basename(path), kind: 'directory', head: new Uint8Array(), entries, size: 0 },
  };
}

function probeFile(path: string, ino: string | undefined): OpenInput {
  const folder = new Folder(dirname(path));
  try {
    const source = folder.openOwn(path);
    checkIdentity(path, ino, source.fingerprint.ino);
    const head = source.readHead(HEAD_BYTES);
    return {
      folder,
      source,
      probe: { name: basename(path), kind: 'file', head, entries: [], size: source.size },
    };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** A link, or another file, may take the place of a path between the moment it is judged and the moment it is opened. */
function checkIdentity(path: string, expected: string | undefined, actual: string): void {
  if (expected === undefined || expected === actual) return;
  throw replacedWhileOpened(path);
}

function statPath(path: string): BigIntStats {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    throw openError(path, error);
  }
}
