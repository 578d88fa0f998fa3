/** Opens an acquisition whose first file or folder is open already, wherever its files are. Reads metadata, no pixels. */

import { type AcqError, companionMissing, unsupported } from '../base/errors.js';
import { notesOf } from '../base/notes.js';
import { errorAbout } from '../base/subject.js';
import { warningsByKind } from '../base/warning-kinds.js';
import { oneOf } from '../base/wording.js';
import { describeForeignContent } from '../formats/foreign-files.js';
import { extensionOf, FORMATS, supportedExtensions } from '../formats/index.js';
import type { Acquisition, Format, OpenInput, Probe, Reader } from '../model/acquisition.js';
import { inputBeside } from '../model/input-beside.js';
import type { Interpretation } from '../model/interpretation.js';
import { dropUnusableSteps, noteImplausibleSteps } from '../model/metadata/steps.js';
import type { Parts } from '../model/recording.js';
import { withinLimits } from './plane-size.js';

/** Enough names to recognize a directory store; a folder of a million files is not read whole for that. */
export const PROBE_ENTRIES = 10_000;

export interface InputOptions {
  /** Extensions the operator allows; all supported ones by default. */
  allowedExtensions?: readonly string[];
  /** What the caller says the planes are. */
  interpret?: Interpretation | undefined;
  /** `all`: opens the recording that the file is a part of. `one`, the file alone, when omitted. */
  parts?: Parts | undefined;
  /** True when an earlier open has described the file: the recording that it is a part of is not looked for again. */
  isKnown?: boolean | undefined;
  /** Stops an open of many files. */
  signal?: AbortSignal;
  /** Told now and then by an open of many files. */
  onProgress?: ((files: { done: number; total: number }) => void) | undefined;
}

export interface OpenedInput {
  acquisition: Acquisition;
  format: Format;
}

/**
 * Finds the format by content (the extension breaks ties) and reads metadata. Closes nothing.
 * @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing`; with the name of the file in front
 */
export async function openInput(found: OpenInput, options: InputOptions = {}): Promise<OpenedInput> {
  const { allowedExtensions: allowed = supportedExtensions(), interpret, signal, onProgress } = options;
  const { probe } = found;
  const isWatched = signal !== undefined || onProgress !== undefined;
  const input = isWatched ? { ...found, ...(signal && { signal }), ...(onProgress && { onProgress }) } : found;
  try {
    input.signal?.throwIfAborted();
    const format = await byContent(chooseFormat(probe, allowed), input);
    // A name is easily changed, and a folder may have any: what the operator allows is the format.
    if (!isAllowed(format, options)) throw formatNotAllowed(format);
    const reader = await format.load();
    const openOther = (name: string) => openBeside(input, name);
    const isKnown = options.isKnown ?? false;
    const opened = await openParts({ openOther, isKnown, ...input }, reader, options);
    // First: an axis that became another one has no step that could be implausible.
    const acquisition = interpret ? await interpreted(opened, interpret) : opened;
    for (const scene of acquisition.info.scenes) {
      scene.warnings = notesOf(scene.warnings).list();
      const kinds = warningsByKind(scene.warnings);
      if (Object.keys(kinds).length > 0) scene.warningKinds = kinds;
    }
    dropUnusableSteps(acquisition.info);
    if (format.microscope !== 'electron') noteImplausibleSteps(acquisition.info);
    return { acquisition: aboutFile(probe.name, withinLimits(acquisition)), format };
  } catch (error) {
    throw errorAbout(probe.name, error);
  }
}

/** Opens a file beside another one, which is part of the acquisition: the operator allowed the whole. */
async function openBeside(input: OpenInput, name: string): Promise<Acquisition> {
  const beside = inputBeside(input, name);
  if (!beside) throw companionMissing(`"${name}"`, input.folder.path);
  return (await openInput(beside, { isKnown: true })).acquisition;
}

/** Returns an acquisition whose errors are about the file that was opened, unless they are about another one. */
function aboutFile(name: string, acquisition: Acquisition): Acquisition {
  const { checkScene, readChannels, readReference, listMetadata, readPlaneColumns } = acquisition;
  const named =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args) => {
      try {
        return await read(...args);
      } catch (error) {
        throw errorAbout(name, error);
      }
    };
  return {
    ...acquisition,
    checkScene(scene) {
      try {
        checkScene?.(scene);
      } catch (error) {
        throw errorAbout(name, error);
      }
    },
    readPlane: named(acquisition.readPlane.bind(acquisition)),
    ...(readChannels ? { readChannels: named(readChannels) } : {}),
    ...(readReference ? { readReference: named(readReference) } : {}),
    ...(readPlaneColumns ? { readPlaneColumns: named(readPlaneColumns) } : {}),
    ...(listMetadata ? { listMetadata: named(listMetadata) } : {}),
  };
}

/** Opens a file, and says which recording it is a part of; or all of that recording. */
async function openParts(input: OpenInput, reader: Reader, options: InputOptions): Promise<Acquisition> {
  const { parts, isKnown } = options;
  if (parts === 'all')
    return (await import('../recordings/all.js')).openRecording(input, reader, allowedFormats(options));
  const opened = await reader.open(input);
  // Only a name with a number is worth a look into the folder. A set of files is open as a whole.
  if (isKnown || !reader.loadSigns || opened.files || !/\d.*\./.test(input.probe.name)) return opened;
  const { recordingOf } = await import('../recordings/one.js');
  const recording = await recordingOf(input, await reader.loadSigns(), allowedFormats(options));
  return recording ? { ...opened, info: { ...opened.info, recording } } : opened;
}

function isAllowed({ extensions }: Format, { allowedExtensions: allowed }: InputOptions): boolean {
  return !allowed || extensions.some((extension) => allowed.includes(extension));
}

function allowedFormats(options: InputOptions): Format[] {
  return FORMATS.filter((format) => isAllowed(format, options));
}

/** Loads what few files need. */
async function interpreted(opened: Acquisition, interpret: Interpretation): Promise<Acquisition> {
  const { interpretPlanes } = await import('../model/interpretation.js');
  return interpretPlanes(opened, interpret);
}

/** Returns the bytes of all files that belong to an acquisition; `undefined` when there are too many to look at. */
export function sizeOf(acquisition: Acquisition, { source, folder }: OpenInput): number | undefined {
  if (!acquisition.files) return source?.size;
  const files = acquisition.files();
  if (files === 'many') return undefined;
  return folder.sizeOf(files === 'folder' ? 'everything' : files);
}

/** True when all files of an acquisition were opened already: no plane is in another one. */
export function isWhole(acquisition: Acquisition, { folder }: OpenInput): boolean {
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
    if (instead !== undefined) throw unsupported(instead);
  }
  if (probe.kind === 'directory') {
    const readable = formats.filter(({ opensFolders }) => opensFolders).map(({ label }) => label);
    throw unsupported(`is a folder, but not an acquisition (${oneOf(readable)}). Open a file inside it.`);
  }
  const claimed = extensionOf(probe.name, allowed);
  if (probe.size === 0) throw unsupported('is empty (0 bytes). Copy or export it again.');
  const foreign = describeForeignContent(probe.head);
  if (foreign !== undefined) throw unsupported(foreign);
  throw unsupported(
    `the content is not that of ${claimed ? `a ${claimed} file, or of another` : 'a'} supported format. ` +
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

function formatNotAllowed({ label }: Format): AcqError {
  return unsupported(
    `the content is ${label}, which this server does not open (--allow-ext). Its name makes no difference.`,
  );
}
