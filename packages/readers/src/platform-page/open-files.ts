/** Opens files that were given to a page, without a server. Runs in a worker of the page, which can read synchronously. */
import { AcqError } from '../base/errors.js';
import { usePlatform, type Wasm } from '../base/platform.js';
import { extensionOf, FORMATS } from '../formats/index.js';
import { Folder } from '../io/folder.js';
import { lastPart, parentOf } from '../io/paths.js';
import { FullParserMissing, useFullParser } from '../io/xml-full-parser.js';
import type { Acquisition, OpenInput, Probe } from '../model/acquisition.js';
import { HEAD_BYTES } from '../model/input-beside.js';
import type { Interpretation } from '../model/interpretation.js';
import type { Parts } from '../model/recording.js';
import { type InputOptions, openInput, PROBE_ENTRIES, sizeOf } from '../open/open-input.js';
import { type PageFile, PageFiles, PageFolder } from './page-files.js';
import { pageInflate } from './page-inflate.js';

export type { PageFile };

export interface OpenFilesOptions {
  /** File or folder to open, when there are several: a relative path with `/`. The first one that can be opened otherwise. */
  name?: string | undefined;
  /** What the planes are, where the file does not say. */
  interpret?: Interpretation | undefined;
  /** `all`: opens the recording that the file is a part of. */
  parts?: Parts | undefined;
}

/** An acquisition whose files are in the page. */
export interface OpenedFiles {
  acquisition: Acquisition;
  /** Name of the file or folder that the acquisition is. */
  name: string;
  /** Bytes of all files that belong to it; undefined when there are too many to look at. */
  size(): number | undefined;
  close(): void;
}

/**
 * Has readers run in a page from now on.
 * @param read returns a WebAssembly file of a dependency, by its name as for an import
 */
export function usePage(read: Wasm['read']): void {
  usePlatform({ inflate: pageInflate, wasm: { read, start: (create) => create() }, filesAreChosen: true });
}

/**
 * Opens an acquisition: reads its metadata, no pixels. Call `usePage` first.
 * @param files those of the acquisition, with the folders that they were in; others are ignored
 * @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing`, `source_changed`, `path_not_found`
 */
export async function openFiles(
  files: readonly PageFile[],
  { name = mainOf(files), ...options }: OpenFilesOptions = {},
): Promise<OpenedFiles> {
  const all = new PageFiles(files);
  try {
    return await openOne(all, name, options);
  } catch (error) {
    if (!(error instanceof FullParserMissing)) throw error;
    await loadFullParser();
    return await openOne(all, name, options);
  }
}

/** Loads what reads all of XML: few files need it to be opened, and all for their metadata. */
export async function loadFullParser(): Promise<void> {
  const { SaxesFullParser } = await import('../io/xml-saxes.js');
  useFullParser((tree) => new SaxesFullParser(tree));
}

async function openOne(all: PageFiles, name: string, options: InputOptions): Promise<OpenedFiles> {
  const home = homeOf(name, all);
  const probed = all.find(home) ? probeFile(all, home) : probeFolder(all, home);
  const inside = probed.input.source ? undefined : mainInside(probed.input.probe, home);
  const { input, folder } = inside === undefined ? probed : probeFile(all, inside);
  if (home !== name && all.find(name)) input.part = name.slice(folder.path.length > 1 ? folder.path.length : 0);
  try {
    const { acquisition } = await openInput(input, options);
    return {
      acquisition,
      name: input.probe.name,
      size: () => sizeOf(acquisition, input),
      close: () => folder.close(),
    };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** Returns the file, or the folder, that a choice is named by. */
function mainOf(files: readonly PageFile[]): string {
  const [first] = files;
  if (!first) throw new AcqError('path_not_found', 'No file was chosen.');
  const readable = files.find(({ path }) => !path.includes('/') && extensionOf(path) !== undefined);
  return (readable ?? first).path.split('/')[0]!;
}

/** Returns the file to open in a folder that is not an acquisition, but contains one. */
function mainInside(probe: Probe, folder: string): string | undefined {
  if (FORMATS.some((format) => format.sniff(probe) !== false)) return undefined;
  const name = [...probe.entries].sort().find((entry) => extensionOf(entry) !== undefined);
  return name && `${folder}/${name}`;
}

/** Returns the file or folder that represents the whole acquisition that a part belongs to. */
function homeOf(name: string, files: PageFiles): string {
  const isFile = files.find(name) !== undefined;
  for (const format of FORMATS) {
    const home = (isFile ? format.home?.(`/${name}`) : format.homeOfFolder?.(`/${name}`))?.replace(/^\//, '');
    if (home !== undefined && (files.find(home) ?? files.list(home)) !== undefined) return home;
  }
  return name;
}

interface ProbedFile {
  input: OpenInput;
  folder: PageFolder;
}

function probeFolder(files: PageFiles, path: string): ProbedFile {
  const names = files.list(path);
  if (!names) throw new AcqError('path_not_found', 'is not among the files that were chosen', { subject: path });
  const name = lastPart(path);
  const folder = new PageFolder(files, path, `${name}/`);
  const entries = names.slice(0, PROBE_ENTRIES);
  const probe = { name, kind: 'directory', head: new Uint8Array(), entries, size: 0 } as const;
  return { input: { folder: new Folder(folder), probe }, folder };
}

function probeFile(files: PageFiles, path: string): ProbedFile {
  const folder = new PageFolder(files, parentOf(path));
  const name = lastPart(path);
  const source = folder.open(name)!;
  const head = source.read(0, Math.min(HEAD_BYTES, source.size));
  const probe = { name, kind: 'file', head, entries: [], size: source.size } as const;
  return { input: { folder: new Folder(folder), source, probe }, folder };
}
