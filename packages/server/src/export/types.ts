import type { CutJob } from '@acquisition-store/readers/derive/writers/types.js';
import type { ExportName } from './names.js';
import type { StageOptions } from './staged.js';

/** What to write, and where. */
export interface WriteJob extends CutJob {
  /** Path of the output. */
  target: string;
  /** Whether the user gave the name of the output, and not only the folder. */
  isNamed: boolean;
  stage: StageOptions;
  /** Called when everything is written, before the output gets its name. May throw. */
  onFinishing: (finished: { partial: string; output: string }) => void;
}

/** Writes an acquisition. Resolves to the path of the output, which was renamed to its name. */
export type Write = (job: WriteJob) => Promise<string>;

/** A row of the table of formats. */
export interface ExportFormat {
  id: ExportName;
  /** With its dot. */
  extension: string;
  /** True when only one plane is written. */
  isPlane: boolean;
  write: Write;
}
