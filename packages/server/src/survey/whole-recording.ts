/** Recordings in several files that lists show as a whole. */
import { dirname, join } from 'node:path';
import type { SplitRecording } from '@acquisition-store/readers/model/recording.js';
import type { Survey } from './survey.js';

/**
 * True for a recording that lists show as a whole. Where only names say that files belong together, numbers of channels and scenes may as well count cells or animals, each a
 * recording of its own.
 */
export function isCertain({ evidence, along }: SplitRecording): boolean {
  return evidence !== 'names' || along.includes('T') || along.includes('Z');
}

/**
 * Returns the path of the file that stands for a recording in lists, where that is not the file which was surveyed: the one that
 * describes all others, else the first of them.
 */
export function mainFileOf({
  path,
  files,
  recording,
}: Pick<Survey, 'path' | 'files' | 'recording'>): string | undefined {
  if (!recording || !files || files.length < 2) return undefined;
  const { master } = recording;
  const described = master === undefined ? undefined : files.find((file) => file === join(dirname(file), master));
  const main = described ?? files[0]!;
  return main === path ? undefined : main;
}
