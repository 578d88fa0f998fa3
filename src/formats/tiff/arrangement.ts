import type { NamedPlane, OpenInput, PlaneAddress, SceneInfo } from '../../acquisition.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

/** Where the samples of one plane are. */
export interface PlaneLocation {
  file: TiffFile;
  /** The page whose layout (and, without `dataOffset`, whose strips or tiles) hold the plane. */
  page: TiffPage;
  /** Which sample of the page's samples per pixel: 0 for grey, 0–2 for RGB. */
  sample: number;
  /**
   * Set when the plane has no IFD of its own: its uncompressed, contiguous samples start here (single-IFD ImageJ
   * stacks, MetaMorph STK, ScanImage files beyond 2 GB).
   */
  dataOffset?: number;
}

/**
 * A plane put together from several pages, top to bottom: line scans whose lines, or blocks of lines, are pages.
 * `pieces` × `pieceRows` is the scene's `Y`.
 */
export interface PlaneStack {
  pieces: number;
  pieceRows: number;
  /** Like `Arrangement.locate`, for one piece. */
  piece(index: number): PlaneLocation | undefined;
}

/** What a flavor makes of the pages: scenes, and a place for every plane of them. */
export interface Arrangement {
  scenes: SceneInfo[];
  /** Files of a set by their names in the folder. Absent: the opened file is all. */
  files?(): Iterable<string>;
  /** The first plane in the opened file, where that is one of several. */
  named?: NamedPlane;
  /**
   * The place of a plane. `undefined`: the file set says that this plane was never written; it is served as zeros and
   * a warning of the scene says so.
   * @throws AcqError `decode_failed` naming the page or file that is missing
   */
  locate(address: PlaneAddress): PlaneLocation | PlaneStack | undefined;
}

/** One dialect of TIFF. The first of the list whose `detect` is true arranges the pages. */
export interface Flavor {
  id: string;
  label: string;
  /** Cheap: looks at the first page, the name, and at most one sidecar. */
  detect(context: FlavorContext): boolean;
  /**
   * @returns `undefined` when the metadata turns out to be unusable: the next flavor is tried and
   * `context.warnings` says why.
   */
  arrange(context: FlavorContext): Promise<Arrangement | undefined>;
}

export interface FlavorContext {
  input: OpenInput;
  /** The file that was asked for. */
  file: TiffFile;
  /** Its first page. */
  page: TiffPage;
  /** Added to every scene: what earlier flavors and the container had to say. */
  warnings: string[];
  /** Opens another file of the set as TIFF, by name inside the folder; `undefined` when it is not there. */
  openTiff(name: string): TiffFile | undefined;
}
