import type { Notes } from '../../base/notes.js';
import type { NamedPlane, OpenInput, PlaneAddress, ReadColumns, SceneInfo } from '../../model/acquisition.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import type { TiffSiblings } from './tiff-siblings.js';

/** Where the samples of one plane are stored. */
export interface PlaneLocation {
  file: TiffFile;
  /** The page with the layout of the plane and, without `dataOffset`, its strips or tiles. */
  page: TiffPage;
  /** Index among the samples per pixel of the page: 0 for gray, 0–2 for RGB. */
  sample: number;
  /**
   * Offset of a plane that has no IFD of its own. Its samples are uncompressed and contiguous (ImageJ stacks with a
   * single IFD, MetaMorph STK, ScanImage files beyond 2 GB).
   */
  dataOffset?: number;
  /** The first row of a plane that is only some rows of the page, such as a region of interest. */
  firstRow?: number;
}

/**
 * A plane assembled from several pages, top to bottom: a line scan whose lines, or blocks of lines, are pages.
 * `pieces` × `pieceRows` is the `Y` of the scene.
 */
export interface PlaneStack {
  pieces: number;
  pieceRows: number;
  /** Like `Arrangement.locate`, for one piece. */
  piece(index: number): PlaneLocation | undefined;
}

/** The scenes that a flavor makes of the pages, and the location of every plane. */
export interface Arrangement {
  scenes: SceneInfo[];
  /** Names of the files of a set, as in the folder. Absent if the opened file is the whole acquisition. */
  files?(): Iterable<string>;
  /** The first plane in the opened file, if that file is one of several. */
  named?: NamedPlane;
  /**
   * Returns the location of a plane, or `undefined` if the plane was never written: it is served as zeros, and a warning
   * of the scene says so.
   * @throws AcqError `decode_failed`, `companion_missing` with the page or file that is missing
   */
  locate(address: PlaneAddress): PlaneLocation | PlaneStack | undefined;
  /** Reads what the pages say of the single planes of a scene. Absent: they say nothing. */
  readPlaneColumns?(scene: number): ReadColumns | Promise<ReadColumns>;
}

/** One dialect of TIFF. The first flavor in the list that recognizes the file arranges its pages. */
export interface Flavor {
  /** The number of pages says how long the recording is: pages at the end without their data are left out. */
  countsPages?: boolean;
  /** True if the file looks like this flavor. Reads only the first page, the name, and at most one sidecar. */
  detect(context: FlavorContext): boolean;
  /** Loads what reads it: a file is of one flavor, and a page loads no other. */
  load(): Promise<FlavorReader>;
}

export interface FlavorReader {
  /** False when only the metadata of the flavor show that the file is of another one. Always true when absent. */
  confirms?(context: FlavorContext): boolean;
  /** Returns `undefined`, with a note, if the metadata turn out to be unusable. The next flavor is tried then. */
  arrange(context: FlavorContext): Promise<Arrangement | undefined>;
}

export interface FlavorContext {
  input: OpenInput;
  /** The opened file. */
  file: TiffFile;
  /** Its first page. */
  page: TiffPage;
  /** Warnings for every scene: from the container, from flavors that gave up, and from the one that arranges. */
  notes: Notes;
  /** The other files of the folder. */
  siblings: TiffSiblings;
}
