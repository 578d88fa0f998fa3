import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY } from './cli.js';

export const hasNpm = spawnSync('npm', ['--version']).status === 0;

interface Packed {
  filename: string;
  files: { path: string }[];
}

function pack(...more: string[]): Packed {
  const args = ['pack', '--json', '--ignore-scripts', ...more];
  const text = execFileSync('npm', args, { cwd: REPOSITORY, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (JSON.parse(text) as Packed[])[0] as Packed;
}

/** Paths of the files that `npm publish` would send, with `/` between their parts. */
export function packedFiles(): string[] {
  return pack('--dry-run').files.map(({ path }) => path);
}

/** Writes what `npm publish` would send to a folder. @returns its path */
export function packTo(folder: string): string {
  return join(folder, pack('--pack-destination', folder).filename);
}
