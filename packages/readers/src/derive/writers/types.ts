import type { Notes } from '../../base/notes.js';
import type { ZarrVersion } from '../zarr/versions.js';
import type { Cut } from './cut.js';

/** Options of single formats. */
export interface FormatOptions {
  /** Version of OME-Zarr, 0.5 by default. */
  zarr?: ZarrVersion;
  compress?: 'gzip';
  /** Samples that become black and white in an 8-bit image. */
  window?: { start: number; end: number };
}

/** What to write. */
export interface CutJob {
  cut: Cut;
  /** Name of the file that is exported. */
  name: string;
  /** `header.fileSize` of the API. */
  fileSize: string;
  options: FormatOptions;
  /** Collects what the output does not keep. */
  notes: Notes;
  /** Called after each plane. */
  onPlane: () => void;
}

/** Takes the bytes of a file from its start: a file on disk, or memory. */
export interface ByteSink {
  /** Bytes written so far: the position of the next `write`. */
  readonly length: number;
  write(bytes: ArrayBufferView): void;
  /** Replaces bytes that were written before. */
  patch(position: number, bytes: ArrayBufferView): void;
}
