/** What lists of many recordings tell of each. */
import type { Instrument, SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { SplitRecording } from '@acquisition-store/readers/model/recording.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { Finding } from './findings.js';

/** Planes that a survey reads: none, the first and the last one, or all. */
export type SurveyedPlanes = 'none' | 'ends' | 'all';

/** What a survey reads beside the metadata. */
export interface SurveyChoice {
  planes: SurveyedPlanes;
  /** Draws the first plane. */
  thumbnail?: boolean;
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
