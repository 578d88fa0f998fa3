import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assemble } from '../../scripts/assemble.mjs';
import { tempFolder } from './temp.js';

export const hasNpm = spawnSync('npm', ['--version']).status === 0;

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** Writes the package that was built to a folder. @returns its path */
export function assembled(): string {
  const folder = tempFolder();
  assemble(folder);
  return folder;
}

function pack(folder: string, ...more: string[]): Packed {
  const args = ['pack', '--json', '--ignore-scripts', ...more];
  const text = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (JSON.parse(text) as Packed[])[0] as Packed;
}

/** Paths of the files that `npm publish` would send, with `/` between their parts. @param folder of `assembled` */
export function packedFiles(folder: string): string[] {
  return pack(folder, '--dry-run').files.map(({ path }) => path);
}

/** Writes what `npm publish` would send to a folder. @returns its path */
export function packTo(folder: string): string {
  return join(folder, pack(assembled(), '--pack-destination', folder).filename);
}
