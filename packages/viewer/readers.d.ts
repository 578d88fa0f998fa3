/** Types of `readers.js`: reads microscope files in any page, without a server. */

/**
 * Opens an acquisition. A worker of its own reads its metadata now, and planes when they are asked for.
 * @param files all files of the acquisition: those that are chosen in a page, or the files of a dropped folder
 * @throws AcqError with a `code`, a `message` for the user and a `hint`
 */
export declare function openFiles(files: Iterable<Given>, options?: OpenFilesOptions): Promise<Acquisition>;

/** What the calls reject with. An aborted call rejects with the reason of its signal instead. */
export declare class AcqError extends Error {
  private constructor();
  /** Of the table of errors, such as `decode_failed`. */
  readonly code: string;
  /** What the user can do; empty when `message` is enough. */
  readonly hint: string;
}

/** An opened acquisition. Channels are named by their `index` in `info.channels`; places are counted from 0. */
export interface Acquisition {
  readonly info: OpenResponse;
  readonly closed: boolean;
  /** Returns a plane as float32, row after row. */
  plane(channelIndex: number, options?: ReadOptions & PlanePlace): Promise<Float32Array<ArrayBuffer>>;
  /** Returns a plane in the type of the file. */
  nativePlane(channelIndex: number, options?: NativeOptions): Promise<NativeSamples>;
  referencePlane(channelIndex: number, options?: ReadOptions): Promise<Float32Array<ArrayBuffer>>;
  rows(
    channelIndex: number,
    firstRow: number,
    rowCount: number,
    options?: ReadOptions,
  ): Promise<Float32Array<ArrayBuffer>>;
  window(channelIndex: number, choice?: WindowChoice, options?: CallOptions): Promise<PlaneArray>;
  nativeWindow(channelIndex: number, choice?: WindowChoice, options?: CallOptions): Promise<NativeArray>;
  /** Returns the smallest, largest and mean sample of each cell of a grid. */
  overview(channelIndex: number, choice?: OverviewChoice, options?: CallOptions): Promise<PlaneArray>;
  statistics(channelIndex: number, choice?: StatisticsChoice, options?: CallOptions): Promise<Statistics>;
  profile(channelIndex: number, choice: ProfileChoice, options?: CallOptions): Promise<ProfileResponse>;
  profileArrays(channelIndex: number, choice: ProfileChoice, options?: CallOptions): Promise<ProfileArrays>;
  traces(channelIndex: number, choice: TracesChoice, options?: CallOptions): Promise<PlaneArray>;
  /** Returns measured times, depths or positions of lines, where the file has them. */
  coordinates(options?: CallOptions): Promise<MeasuredValues>;
  /** Returns what the file says of each plane: when, where, how long. */
  planes(options?: CallOptions): Promise<PlaneColumns>;
  /** Returns the vendor's own metadata. */
  metadata(options?: CallOptions): Promise<VendorMetadata>;
  /** Returns the whole acquisition as OME-Zarr, for `zarrita`. */
  store(options?: StoreOptions): ZarrStore;
  /** Opens another part of the files, and closes this one. */
  select(choice: SelectChoice, options?: CallOptions): Promise<Acquisition>;
  /** Opens another part of the files beside this one. */
  openAgain(choice?: SelectChoice, options?: CallOptions): Promise<Acquisition>;
  close(): Promise<void>;
}

/** Versions of OME-Zarr: 0.4 is Zarr 2, 0.5 is Zarr 3. */
export type ZarrVersion = '0.4' | '0.5';
