/** A recording that a program, or an export, wrote as several files of one kind. */

/** What the numbers in the names of the files count. */
export type PartAxis = 'S' | 'T' | 'Z' | 'C';

/**
 * How it is known that files belong together: by a file that describes all of them, by numbers of frames that go on in the next file,
 * or by names alone.
 */
export const RECORDING_EVIDENCE = ['master file', 'frame numbers', 'names'] as const;
export type RecordingEvidence = (typeof RECORDING_EVIDENCE)[number];

/** The recording that a file is a part of. */
export interface SplitRecording {
  /** Number of files, at least 2. */
  parts: number;
  /** Index of the file among them. */
  part: number;
  /** Axes along which the files follow each other, slowest first. */
  along: PartAxis[];
  evidence: RecordingEvidence;
  /** Name, in the folder of the files, of the one that describes all of them. Set when it is the evidence. */
  master?: string;
}

/**
 * True for a recording that is shown as a whole. Where only names say that files belong together, numbers of channels and scenes may
 * as well count cells or animals, each a recording of its own.
 */
export function isCertain({ evidence, along }: { evidence: RecordingEvidence; along: readonly string[] }): boolean {
  return evidence !== 'names' || along.includes('T') || along.includes('Z');
}

/** The files that another file describes. */
export interface ListedParts {
  /** Names, slowest axis first. */
  names: string[];
  /** Axes along which they follow each other, slowest first. */
  along: PartAxis[];
}

/** What the start of a file shows of the recording that it may be a part of. */
export interface PartSigns {
  /** Names the size and type of the planes: equal in all parts. */
  shape: string;
  /** Only where the program that wrote the file counts frames through all files of a recording. */
  counted?: {
    /** Names the recording: what its files have in common, and no other recording has. */
    recording: string;
    /** Number of the first frame of the file. */
    first: number;
  };
}

/** Files of one recording. */
export const MAX_PARTS = 10_000;
/** Of larger folders, it is not found out what a file is a part of. */
export const MAX_NAMES = 100_000;

/** Which files to open: the one that is named, or all of the recording that it is a part of. */
export const PARTS = ['one', 'all'] as const;
export type Parts = (typeof PARTS)[number];
