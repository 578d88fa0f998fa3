import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';

const root = resolve(import.meta.dirname, '../../../shared/samples');

/** Folder of the real acquisition files that may lie beside the repository; `undefined` when it is not there. */
export const samplesRoot: string | undefined = existsSync(join(root, 'EXPECTED.json')) ? root : undefined;

/** What independent readers decoded from one image of a sample. */
export interface ExpectedImage {
  name: string | null;
  /** Full array shape, leading axes first. */
  shape: number[];
  /** One letter per dimension of `shape`, or only the leading ones. */
  axes: string;
  dtype: string;
  sha256_le_c?: string;
  min?: number;
  max?: number;
  sum?: number;
  /** Set when the independent reader could not decode the image. */
  error?: string;
}

export interface ExpectedFile {
  reader: string;
  comp?: string;
  nseries?: number;
  images?: ExpectedImage[];
}

/** Expected values of every sample whose path starts with one of `prefixes`, by path below the samples folder. */
export function expectedFiles(...prefixes: string[]): [string, ExpectedFile][] {
  if (samplesRoot === undefined) return [];
  const all = JSON.parse(readFileSync(join(samplesRoot, 'EXPECTED.json'), 'utf8')) as {
    files: Record<string, ExpectedFile>;
  };
  return Object.entries(all.files).filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)));
}

export function samplePath(relative: string): string {
  if (samplesRoot === undefined) throw new Error('samples are not there');
  return join(samplesRoot, relative);
}

/** A suite over the real files; says loudly when they are not there. */
export function describeWithSamples(name: string, body: () => void): void {
  if (samplesRoot === undefined) {
    console.warn(`\n*** NOT RUN: "${name}" needs the real acquisition files in ${root} ***\n`);
    describe.skipIf(true)(name, body);
    return;
  }
  describe(name, body);
}
