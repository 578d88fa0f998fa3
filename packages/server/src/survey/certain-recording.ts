import type { SplitRecording } from '@acquisition-store/readers/model/recording.js';

/**
 * True for a recording that lists show as a whole. Numbers of channels and scenes may as well count cells or animals, each a
 * recording of its own.
 */
export function isCertain({ evidence, along }: SplitRecording): boolean {
  return evidence === 'frame numbers' || along.includes('T') || along.includes('Z');
}
