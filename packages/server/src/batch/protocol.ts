/** Messages between a batch and its threads. */

import type { OpenDescription, ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import type { Instrument, SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { SplitRecording } from '@acquisition-store/readers/model/recording.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { ExportTask, Progress } from '../export/index.js';
import type { DescribeOptions } from './describe-file.js';
import type { DoneNote, FileMark } from './done-note.js';
import type { Finding } from './findings.js';

/** What a thread does with one file. */
export type Job = ExportJob | InspectJob | SurveyJob;

export interface ExportJob {
  kind: 'export';
  task: ExportTask;
  /** Set in a batch: the output gets a note, and is measured. */
  note?: Pick<DoneNote, 'version' | 'options'>;
}

export interface InspectJob {
  kind: 'inspect';
  path: string;
  choice: ViewChoice;
  options?: DescribeOptions;
}

/** Planes that a survey reads: none, the first and the last one, or all. */
export type SurveyedPlanes = 'none' | 'ends' | 'all';

/** What a survey reads beside the metadata. */
export interface SurveyChoice {
  planes: SurveyedPlanes;
  /** Draws the first plane. */
  thumbnail?: boolean;
}

export interface SurveyJob extends SurveyChoice {
  kind: 'survey';
  path: string;
}

/** What lists of many recordings show of one, and what a check finds. Sizes, steps and channels are of its first scene. */
export interface Survey {
  /** Real absolute path. */
  path: string;
  name: string;
  /** Label of the format, as in `source.format`. */
  format: string;
  /** Name of the format for people. */
  formatName: string;
  /** Bytes of all files; null when there are too many to look at. */
  size: number | null;
  /** Milliseconds since 1970. */
  modified: number | null;
  /** Absolute paths of the files that belong to it; null when these are many, or all of a folder. */
  files: string[] | null;
  /** `YYYYMMDD` or empty. */
  date: string;
  /** `HH:MM:SS` or empty. */
  time: string;
  instrument?: Instrument;
  /** Set for a recording in several files: how they follow each other, and by which evidence. */
  recording?: SplitRecording;
  /** Number of scenes. */
  scenes: number;
  dtype: SampleType;
  channels: string[];
  sizes: SceneInfo['sizes'];
  steps: SceneInfo['steps'];
  /** Address of a PNG image of the first plane; null when it cannot be read, absent when nobody asked for it. */
  thumbnail?: string | null;
  /** Of all scenes. */
  warnings: string[];
  findings: Finding[];
}

export interface ExportOutcome {
  /** Absolute path. */
  output: string;
  bytes?: number;
  sha256?: string;
  source?: FileMark;
  /** An earlier run has written the output. */
  isSkipped: boolean;
  warnings: string[];
  /** What the output does not keep. */
  notes: string[];
}

export interface Outcomes {
  export: ExportOutcome;
  inspect: OpenDescription;
  survey: Survey;
}

/** Why a file could not be processed. */
export interface JobFailure {
  /** Of the API, or of an output. */
  code: string;
  message: string;
  details: ValidationDetail[] | null;
  /** Set for an unexpected error. */
  stack?: string;
}

export interface JobRequest {
  id: number;
  job: Job;
}

export type JobReply =
  | { kind: 'ready' }
  | { kind: 'progress'; id: number; progress: Progress }
  /** The source is closed or no longer read: what follows may take as long as the disk needs. */
  | { kind: 'finishing'; id: number }
  | { kind: 'done'; id: number; value: Outcomes[keyof Outcomes] }
  | { kind: 'failed'; id: number; failure: JobFailure };
