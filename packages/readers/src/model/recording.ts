/** A recording that a program, or an export, wrote as several files of one kind. */

/** What the numbers in the names of the files count. */
export type PartAxis = 'S' | 'T' | 'Z' | 'C';

/** How it is known that files belong together: by numbers of frames that go on in the next file, or by names alone. */
export const RECORDING_EVIDENCE = ['frame numbers', 'names'] as const;
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

/** Which files to open: the one that is named, or all of the recording that it is a part of. */
export const PARTS = ['one', 'all'] as const;
export type Parts = (typeof PARTS)[number];
