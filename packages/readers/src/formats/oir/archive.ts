/** `.poir`, a ZIP archive of OIR files, and `.mpoir`, an archive of those: every recording inside is a scene. */

import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { endSentence, grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { EntrySiblings } from '../../io/entry-siblings.js';
import { ZipArchive } from '../../io/zip.js';
import { parsePartName } from './parts.js';
import { type OirScene, openScene } from './scene.js';

/** An mpoir contains poirs, and these contain no archives. */
const MAX_NESTING = 2;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openArchive(source: ByteSource, signal?: AbortSignal): OirScene[] {
  const contents: ArchiveContents = { scenes: [], failures: [] };
  collectScenes(contents, new ZipArchive(source), '', 1, signal);
  const { scenes, failures } = contents;
  if (scenes.length === 0) throw failures[0] ?? unsupported('the ZIP archive contains no .oir file');
  const warnings = failures.map(({ message }) =>
    asCorrupted(`${endSentence(message)} This recording of the archive was skipped.`),
  );
  return scenes.map((scene) => ({
    ...scene,
    info: { ...scene.info, warnings: [...scene.info.warnings, ...warnings] },
  }));
}

interface ArchiveContents {
  scenes: OirScene[];
  failures: AcqError[];
}

/** @param prefix what the names of the scenes start with: the archives around this one */
function collectScenes(
  contents: ArchiveContents,
  archive: ZipArchive,
  prefix: string,
  level: number,
  signal: AbortSignal | undefined,
): void {
  for (const [folder, names] of groupByFolder(archive)) {
    const siblings = new EntrySiblings(names, (name) => archive.open(folder + name));
    const present = new Set(names.map((name) => name.toLowerCase()));
    for (const name of [...names].sort(byNumber)) {
      signal?.throwIfAborted();
      if (contents.scenes.length >= LIMITS.scenes)
        throw decodeFailed(`contains more than ${grouped(LIMITS.scenes)} recordings`);
      const nested = /\.poir$/i.test(name);
      if (!nested && !isRecording(name, present)) continue;
      collectFailure(contents, () => {
        const source = archive.open(folder + name)!;
        if (nested && level >= MAX_NESTING) {
          throw decodeFailed(`archives are nested too deep; the limit is ${grouped(MAX_NESTING)} levels`).about(
            source.name,
          );
        }
        if (nested) {
          collectScenes(contents, new ZipArchive(source), `${prefix}${withoutExtension(name)}/`, level + 1, signal);
        } else contents.scenes.push(withPrefix(openScene(source, name, siblings, signal), prefix + folder));
      });
    }
  }
}

/** Keeps the error of a corrupted recording, so that the others are shown. */
function collectFailure(contents: ArchiveContents, open: () => void): void {
  try {
    open();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    contents.failures.push(error);
  }
}

function isRecording(name: string, present: ReadonlySet<string>): boolean {
  if (!/\.oir$/i.test(name) || name.startsWith('._')) return false;
  const part = parsePartName(name);
  return !part || !present.has(`${part.stem}.oir`.toLowerCase());
}

function withPrefix(scene: OirScene, prefix: string): OirScene {
  return { ...scene, info: { ...scene.info, name: prefix + scene.info.name } };
}

/** Returns file names by folder (with its `/`), without the entries that archivers add. */
function groupByFolder(archive: ZipArchive): Map<string, string[]> {
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

/** Sorts `cell_2` before `cell_10`. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function withoutExtension(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}
