import type { ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import type { Parts } from '@acquisition-store/readers/model/recording.js';
import type { SurveyedPlanes } from '../survey/survey.js';

/** Options that select the folder with the instance files. */
export interface StateFlags {
  stateDir?: string;
  config?: string;
}

export interface StatusFlags {
  json?: boolean;
  port?: number;
}

export interface StopFlags {
  port?: number;
  all?: boolean;
  /** Stop without waiting for downloads. */
  now?: boolean;
  /** Seconds to wait for each server. */
  timeout: number;
}

/** Options of commands that search folders. */
export interface SearchFlags {
  from?: string;
  /** Files at a time; 0 for one per core. */
  workers?: number;
  /** Seconds without progress. */
  timeout?: number;
}

/** Options for lists of files. */
export interface BatchFlags extends SearchFlags {
  shard?: string;
  retry?: string;
}

export interface CatalogFlags extends SearchFlags {
  jsonl?: boolean;
  thumbnails?: boolean;
}

export interface CheckFlags extends SearchFlags {
  json?: boolean;
  jsonl?: boolean;
  planes: SurveyedPlanes;
  strict?: boolean;
}

export interface ExportFlags extends BatchFlags {
  to: string;
  parts?: Parts;
  out?: string;
  base?: string;
  scene?: number;
  time?: string;
  z?: string;
  channel?: number;
  window?: string;
  zarr?: ZarrVersion;
  compress?: 'gzip';
  overwrite?: boolean;
  quiet?: boolean;
  jsonl?: boolean;
  maxPlaneBytes?: string;
}

export interface InspectFlags extends BatchFlags {
  parts?: Parts;
  json?: boolean;
  jsonl?: boolean;
  metadata?: boolean;
  scene?: number;
  time?: number;
  z?: number;
}

export interface TokenFlags {
  root?: string[];
  expires?: string;
}

export interface McpFlags extends StateFlags {
  /** Port of the running server to use. */
  port?: number;
  /** Folders of a server of its own. */
  root?: string[];
  exportFolder?: string;
}
