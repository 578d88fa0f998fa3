import type { Notes } from '../notes.js';
import type { ZarrVersion } from '../zarr/images.js';
import type { Cut } from './cut.js';
import type { StageOptions } from './staged.js';

/** Options of single formats. */
export interface FormatOptions {
  /** Version of OME-Zarr, 0.5 by default. */
  zarr?: ZarrVersion;
  compress?: 'gzip';
  /** Samples that become black and white in an 8-bit image. */
  window?: { start: number; end: number };
}

/** What to write, and where. */
export interface WriteJob {
  cut: Cut;
  /** Name of the file that is exported. */
  name: string;
  /** `header.fileSize` of the API. */
  fileSize: string;
  /** Path of the output. */
  target: string;
  /** Whether the user gave the name of the output, and not only the folder. */
  isNamed: boolean;
  stage: StageOptions;
  options: FormatOptions;
  /** Collects what the output does not keep. */
  notes: Notes;
  /** Called after each plane. */
  onPlane: () => void;
  /** Called when everything is written, before the output gets its name. May throw. */
  onFinishing: (finished: { partial: string; output: string }) => void;
}

/** Writes an acquisition. Resolves to the path of the output, which was renamed to its name. */
export type Write = (job: WriteJob) => Promise<string>;

/** A row of the table of formats. */
export interface ExportFormat {
  id: string;
  /** With its dot. */
  extension: string;
  /** True when only one plane is written. */
  isPlane: boolean;
  write: Write;
}
