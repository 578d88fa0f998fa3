import type { SplitRecording } from '@acquisition-store/readers/model/recording.js';

/**
 * True for a recording that lists show as a whole. Where only names say that files belong together, numbers of channels and scenes may as well count cells or animals, each a
 * recording of its own.
 */
export function isCertain({ evidence, along }: SplitRecording): boolean {
  return evidence !== 'names' || along.includes('T') || along.includes('Z');
}
