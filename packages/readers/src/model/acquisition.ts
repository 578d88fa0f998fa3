/**
 * The domain: an opened acquisition of any vendor. Readers produce it, decode workers and the session service
 * consume it.
 */
import type { WarningKind } from '../base/warning-kinds.js';
import type { ByteSource } from '../io/byte-source.js';
import type { Folder } from '../io/folder.js';
import type { ChannelOptics, Instrument } from './instrument.js';
import type { MetadataList } from './metadata-list.js';
import type { ListedParts, PartSigns, SplitRecording } from './recording.js';
import type { PlaneTarget } from './samples/plane-target.js';
import type { SampleType } from './samples/types.js';

/** Units of steps. Those after `Pixels` count entries of a dimension without a calibration. */
export const UNITS = ['seconds', 'micrometer', 'Pixels', 'Channels', 'Planes', 'Frames', 'Scenes'] as const;
export type Unit = (typeof UNITS)[number];

/** Where a step comes from: the file, one beside it, a calculation or the request, or nowhere. */
export const STEP_ORIGINS = ['file', 'sidecar', 'derived', 'default'] as const;
export type StepOrigin = (typeof STEP_ORIGINS)[number];

export type { ChannelOptics, Instrument };

/** Physical distance between neighbors along a dimension: finite, > 0. */
export interface Step {
  step: number;
  unit: Unit;
  origin: StepOrigin;
}

/** Where the indices of an axis lie, as measured. */
export interface AxisCoordinates {
  unit: 'seconds' | 'micrometer';
  /** What was measured: `time stamps`, `stage positions`. */
  source: string;
  /** True when an interval differs from the mean by more than a tenth. */
  uneven: boolean;
  /** One value for each index, from the first that is known; `NaN` where the file has none. */
  values: Float64Array;
  /** Of times: seconds from the start of the recording to the value 0, where the file tells. */
  first?: number;
  /** True when `values` is empty, because reading them takes long: `readPlaneColumns` has them, as `time` or `z`. */
  isLater?: true;
}

export interface ChannelInfo extends ChannelOptics {
  /** The file's own channel or dye name, unique within the scene; `CH1`, `CH2`, … without one. */
  name: string;
  /** Values that the file displays as black and as full brightness: `start` < `end`, both finite. */
  window?: { start: number; end: number };
  /** `#RRGGBB`: the color of the channel in the file, or its component in a color image. */
  color?: string;
  /** Set only when the file says so. */
  role?: 'transmitted';
}

/** One scene (position, series). All planes of a scene have one shape and sample type. */
export interface SceneInfo {
  name: string;
  sampleType: SampleType;
  /** One entry per channel; RGB samples are channels. Never empty. */
  channels: ChannelInfo[];
  /** Sizes ≥ 1. `Y` × `X` is the shape of every plane, Y = lines, X = pixels per line. */
  sizes: { T: number; Z: number; Y: number; X: number };
  /** A line scan has `Y` in seconds and `X` in micrometer. */
  steps: { T: Step; Z: Step; Y: Step; X: Step };
  /** Measured values of the axes for which the file has them; the steps are their means. */
  coordinates?: { T?: AxisCoordinates; Z?: AxisCoordinates; Y?: AxisCoordinates };
  /** What the scene was taken with; made by `metadata/instrument.ts`. Absent when the file states nothing. */
  instrument?: Instrument;
  /** `z` when the rows of a plane are depths (an x–z scan); absent otherwise. */
  rowAxis?: 'z';
  /** `YYYYMMDD` or empty. */
  date: string;
  /** `HH:MM:SS`, the wall clock time in the file, or empty. */
  time: string;
  /** The image that the line of a line scan was drawn on. */
  reference: ReferenceInfo | null;
  /** What was assumed, repaired or found inconsistent. */
  warnings: string[];
  /** Those of `warnings` that tell of corruption, of a recording that was stopped, or of an inconsistency. Set when it is opened. */
  warningKinds?: { readonly [kind in WarningKind]?: readonly string[] };
  /**
   * Those of `warnings` that `interpret` and `calibration` take back: that the file does not say what its planes are, and those
   * about the step and the values of an axis.
   */
  axisWarnings?: { readonly [about in 'planes' | 'T' | 'Z' | 'Y' | 'X']?: readonly string[] };
}

/**
 * What a file says of single planes, in columns: one value for each plane of a scene, at `(t · Z + z) · C + channel`, where
 * `Z` and `C` are sizes of the scene; `NaN` where the file has none. Only columns that the file has.
 */
export interface PlaneColumns {
  /** Seconds, from any origin that all planes share. */
  time?: Float64Array;
  /** Exposure time in seconds. */
  exposure?: Float64Array;
  /** Positions of the stage and its piezo in micrometers. */
  x?: Float64Array;
  y?: Float64Array;
  z?: Float64Array;
}

/** The columns of a reader. */
export interface ReadColumns extends PlaneColumns {
  /** True when `time` counts from the start of the recording. */
  isFromStart?: true;
}

export interface ReferenceInfo {
  sampleType: SampleType;
  channels: ChannelInfo[];
  sizes: { Y: number; X: number };
  steps: { Y: Step; X: Step };
  /** `[x0, y0, x1, y1]` in pixels of the reference: x along columns, y along rows. */
  lineRoi: [number, number, number, number] | null;
  /** Vertices in pixels of the reference; both arrays have one length. */
  scanPath: { x: number[]; y: number[] } | null;
}

/** The reference image of a scene as a reader finds it, with what to tell about it. */
export interface FoundReference<Image> {
  /** Absent when there is none, or none that can be read: the warnings say why. */
  image?: Image;
  warnings: string[];
}

export interface AcquisitionInfo {
  /** Format label: canonical extension without the dot, e.g. `tif`, `ome.tif`, `oir`. */
  format: string;
  /** In file order; never empty. */
  scenes: SceneInfo[];
  /** The first plane of the file that was named, when that is only part of the acquisition. Absent: the first plane. */
  named?: NamedPlane;
  /** Set when the file is one of several that a recording was written as, as far as was looked for them. */
  recording?: SplitRecording;
}

/** Indices are 0-based and inside the scene. */
export interface NamedPlane {
  scene: number;
  t: number;
  z: number;
}

/** One plane of one channel. All indices are 0-based. */
export interface PlaneAddress {
  scene: number;
  channel: number;
  t: number;
  z: number;
}

/**
 * The files that belong to an acquisition: their names inside its folder (missing files are allowed), everything in that
 * folder, or too many files to look at each.
 */
export type AcquisitionFiles = Iterable<string> | 'folder' | 'many';

/** An opened acquisition. Holds descriptors until `close`. */
export interface Acquisition {
  readonly info: AcquisitionInfo;
  /**
   * Returns in how many bands of rows a scene's planes can be read: what is compressed together counts once. A reader
   * does not read rows that a target does not want, so this many workers can share a plane. Absent: one worker reads it.
   */
  bands?(scene: number): number;
  /**
   * True when the channels of a scene are stored together in pieces that take long to decode or to find. The reader then
   * keeps the last of them: reading all channels of a few MiB of rows, before the rows that follow, decodes each piece
   * once. Absent: false.
   */
  interleaved?(scene: number): boolean;
  /** True when `readChannels` reads from the file once what `readPlane` would read for each channel of a scene. */
  readsOnce?(scene: number): boolean;
  /** Reads channels of one plane in one pass, each into its target. */
  readChannels?(
    plane: Omit<PlaneAddress, 'channel'>,
    channels: readonly number[],
    targets: readonly PlaneTarget[],
    signal?: AbortSignal,
  ): Promise<void>;
  /** Absent: the opened file is the whole acquisition. */
  files?(): AcquisitionFiles;
  /** True for files that were compared when they were joined, and of which those of a plane are opened when it is read. */
  readonly isJoined?: boolean;
  /**
   * Returns the max bytes that decoding a plane (or the reference) of a scene takes in addition to its target: the
   * largest compressed piece, as stored and decoded. Absent: a few MiB for any file.
   */
  scratchBytes?(scene: number): number;
  /**
   * Checks, without reading pixels, that the planes of a scene can be decoded. Absent: only reading them tells.
   * @throws AcqError `unsupported_format`
   */
  checkScene?(scene: number): void;
  /**
   * Reads one plane into `target`, which has the scene's shape. Reads only what the plane needs.
   * @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing`
   */
  readPlane(address: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
  /** Like `readPlane`, for the reference image of the scene. Present when any scene has one. */
  readReference?(scene: number, channel: number, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
  /**
   * Adds the vendor's own names and values to `list`, in file order: those of the opened file, and of its images only
   * that of the scene. Reads them from the file now; an open does not wait for them. Absent: there are none.
   * @throws AcqError `decode_failed`
   */
  listMetadata?(scene: number, list: MetadataList): Promise<void>;
  /**
   * Reads what the file says of the single planes of a scene, now: an open does not wait for it. Not called for scenes of
   * more than `LIMITS.coordinates` planes. Absent: the coordinates of the axes are all that is known.
   * @throws AcqError `decode_failed`
   */
  readPlaneColumns?(scene: number): Promise<ReadColumns>;
}

/** What is known about a path before a format is chosen. */
export interface Probe {
  /** Last component of the path. */
  name: string;
  kind: 'file' | 'directory';
  /** First bytes of a file (up to 4 KiB); empty for a directory. */
  head: Uint8Array;
  /** Entry names of a directory; empty for a file. */
  entries: readonly string[];
  /** File size in bytes; 0 for a directory. */
  size: number;
}

export type Sniff = 'sure' | 'maybe' | false;

export interface OpenInput {
  probe: Probe;
  /** The opened file; absent for a directory. */
  source?: ByteSource;
  /** The file's own folder, or the directory itself. Owns and closes every descriptor. */
  folder: Folder;
  /** Name inside the folder of the file that was named, when it is only part of the acquisition. */
  part?: string;
  /** Names of all files of the recording, first to last, to open as one; the probe and the source are those of the first. */
  parts?: readonly string[];
  signal?: AbortSignal;
  /** True when an earlier open has described the acquisition: files need not be compared again. */
  isKnown?: boolean;
  /** Told now and then by an open that takes long. */
  onProgress?(files: { done: number; total: number }): void;
  /**
   * Opens another file of the folder as it would open by itself. Given by what opens the acquisition, since no format knows the
   * others.
   * @throws AcqError about that file
   */
  openOther?(name: string): Promise<Acquisition>;
}

export interface Reader {
  open(input: OpenInput): Promise<Acquisition>;
  /** True when the content of a file in the container of the format shows that it is this format. Never throws. */
  claims?(input: OpenInput): boolean;
  /** Loads what shows which recording a file is a part of. Absent: the files of the format are never parts. */
  loadSigns?(): Promise<ReadSigns>;
  /**
   * Returns the files that a file of the format describes, each of which can be opened alone. Present for formats with `mastersOf`.
   * @param name of the file
   * @param folder names beside it
   * @throws AcqError when the file cannot be read
   */
  listParts?(source: ByteSource, name: string, folder: readonly string[]): ListedParts;
}

/**
 * Reads, from the start of a file only, what shows which recording it is a part of; `undefined` for a file that is a part of none.
 * @throws AcqError when the file cannot be read
 */
export type ReadSigns = (source: ByteSource) => PartSigns | undefined;

/** A type of files for which desktops offer the application. */
export interface FileType {
  /** Name that the desktop shows. */
  name: string;
  /** Type on Linux desktops. */
  mime: string;
  /** Those of the format that no other program uses for something else. */
  extensions: readonly string[];
  /** The more general type of which it is a kind. */
  kindOf?: string;
  /** Text at offsets, one byte for each character, that every file of the type has. */
  signature?: Readonly<Record<number, string>>;
}

/** One row of the format table: the only place that names a format. What lists or registers formats is made from it. */
export interface Format {
  id: string;
  /** Name for people, e.g. `Olympus OIR`. */
  label: string;
  /** Heading in lists: the maker of the microscope or program; of open formats, their own name. */
  group: string;
  /** With dots, canonical one first, compound ones included: `.tif`, `.tiff`, `.ome.tif`. */
  extensions: readonly string[];
  /** Pages in `docs/formats/`, without `.md`: that of the whole format first. */
  pages: readonly string[];
  /** Absent when desktops cannot tell its files from others, or it has only folders. */
  fileTypes?: readonly FileType[];
  /** True when a folder can be an acquisition of this format. */
  opensFolders?: boolean;
  /** Steps below a nanometer are usual; those of a light microscope are warned of. */
  microscope?: 'electron';
  /** Container that several formats share: its head does not tell them apart, so their readers are asked. */
  container?: 'hdf5' | 'zip' | 'ome-xml' | 'ole';
  /** Pure over the probe. `sure` beats `maybe`; ties go by extension. */
  sniff(probe: Probe): Sniff;
  /**
   * For a file that is part of an acquisition, returns the path of the file or folder that represents the whole. Pure:
   * the result need not exist.
   */
  home?(path: string): string | undefined;
  /** Like `home`, for a folder that is part of an acquisition. */
  homeOfFolder?(path: string): string | undefined;
  /**
   * For a file or folder that accompanies acquisitions of the format but is not one, says what it is and what to open
   * instead: the rest of a message that starts with its name.
   */
  openInstead?(probe: Probe): string | undefined;
  /**
   * For the name of a file that can be opened alone, returns names of files of this format that would describe it, if they were beside
   * it. Pure; case makes no difference.
   */
  mastersOf?(name: string): string[];
  /** Imports the reader; heavy codecs are loaded later still. */
  load(): Promise<Reader>;
}
