/** Messages between a batch and its threads. */

import type { ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import type { ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import type { ExportTask, Progress } from '../export/index.js';
import type { Survey, SurveyChoice } from '../survey/survey.js';
import type { DescribeOptions } from './describe-file.js';
import type { DoneNote, FileMark } from './done-note.js';

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

export interface SurveyJob extends SurveyChoice {
  kind: 'survey';
  path: string;
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
