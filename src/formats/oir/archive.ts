/** `.poir`, a zip archive of OIR files, and `.mpoir`, one of those: every recording inside is a scene. */
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { ZipArchive } from '../../io/zip.js';
import { parsePartName, type Siblings } from './parts.js';
import { type OirScene, openScene } from './scene.js';

/** An mpoir holds poirs, and these hold no archives. */
const MAX_NESTING = 2;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openArchive(name: string, source: ByteSource, signal?: AbortSignal): OirScene[] {
  const found: Found = { scenes: [], failures: [] };
  collect(found, '', new ZipArchive(source, name), 1, signal);
  if (found.scenes.length === 0) {
    throw found.failures[0] ?? unsupported(`${name}: is a zip archive without any .oir file in it`);
  }
  for (const { message } of found.failures) {
    for (const { info } of found.scenes) info.warnings.push(`a recording of the archive is left out: ${message}`);
  }
  return found.scenes;
}

interface Found {
  scenes: OirScene[];
  failures: AcqError[];
}

function collect(
  found: Found,
  prefix: string,
  archive: ZipArchive,
  level: number,
  signal: AbortSignal | undefined,
): void {
  const folders = foldersOf(archive);
  for (const [folder, names] of folders) {
    const siblings = siblingsIn(archive, folder, names);
    const present = new Set(names.map((name) => name.toLowerCase()));
    for (const name of [...names].sort(byNumber)) {
      signal?.throwIfAborted();
      if (found.scenes.length >= LIMITS.scenes)
        throw decodeFailed(`the archive holds more than ${LIMITS.scenes} recordings`);
      const nested = /\.poir$/i.test(name);
      if (!nested && !isRecording(name, present)) continue;
      attempt(found, () => {
        const source = archive.open(folder + name) as ByteSource;
        if (nested && level >= MAX_NESTING) throw decodeFailed(`${source.name}: archives are nested too deep`);
        if (nested) collect(found, `${prefix}${stem(name)}/`, new ZipArchive(source), level + 1, signal);
        else found.scenes.push(named(openScene(name, source, siblings, signal), prefix + folder));
      });
    }
  }
}

/** One damaged recording does not hide the others. */
function attempt(found: Found, open: () => void): void {
  try {
    open();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    found.failures.push(error);
  }
}

function isRecording(name: string, present: ReadonlySet<string>): boolean {
  if (!/\.oir$/i.test(name) || name.startsWith('._')) return false;
  const part = parsePartName(name);
  return !part || !present.has(`${part.stem}.oir`.toLowerCase());
}

function named(scene: OirScene, prefix: string): OirScene {
  scene.info.name = prefix + scene.info.name;
  return scene;
}

/** File names by folder (with its `/`), archivers' own entries left out. */
function foldersOf(archive: ZipArchive): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const path of archive.names()) {
    if (path.startsWith('__MACOSX/')) continue;
    const cut = path.lastIndexOf('/') + 1;
    const folder = path.slice(0, cut);
    const names = folders.get(folder);
    if (names) names.push(path.slice(cut));
    else folders.set(folder, [path.slice(cut)]);
  }
  return folders;
}

function siblingsIn(archive: ZipArchive, folder: string, names: readonly string[]): Siblings {
  return { open: (name) => archive.open(folder + name), list: () => names };
}

/** `cell_2` before `cell_10`. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function stem(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}
