/**
 * Limits for everything a file can claim. Readers compare a count, size or offset from a file with one of these, or with
 * the length of the file, before they allocate or loop.
 */
export const LIMITS = {
  /** UTF-16 code units of a path on Windows: the limit of its file systems. */
  pathUnitsWindows: 32_767,
  /** Bytes of a path elsewhere: twice the limit of Linux (PATH_MAX), because a path may contain `.` and `..`. */
  pathBytes: 8_192,
  /** Pages (IFDs) of one TIFF file: 8 hours at 200 frames a second. */
  tiffPages: 6_000_000,
  /** Tags of one IFD. The largest real ones (EM, MetaSeries) have fewer than 200. */
  tiffTags: 4_096,
  /** Bytes of one tag's value that is text or metadata. Real OME-XML blocks reach about 100 MB. */
  metadataBytes: 256 * 2 ** 20,
  /** Strips or tiles of one page. */
  tiffChunks: 2 ** 24,
  /** Bytes of one decoded strip or tile. */
  chunkBytes: 2 ** 30,
  /** Samples per pixel (channels of a chunky page). */
  samplesPerPixel: 1_024,
  /** Pixels along one side of a plane. */
  planeSide: 2 ** 27,
  /** Pixels of one plane: well below the capacity of a Float32Array. */
  planePixels: 2 ** 31,
  /** Channels of one acquisition. */
  channels: 65_536,
  /** Scenes of one acquisition. */
  scenes: 100_000,
  /** Planes along T or Z. */
  planes: 6_000_000,
  /** Values of an axis that are kept; more are judged, and forgotten. */
  coordinates: 1_000_000,
  /** Files of one multi-file acquisition. */
  files: 100_000,
  /** Files whose sizes are added up for the size of an acquisition: half a second on a slow network. */
  sizedFiles: 500,
  /** Bytes of a text sidecar. */
  sidecarBytes: 16 * 2 ** 20,
  /** Nesting of XML elements. */
  xmlDepth: 256,
  /** Elements of one XML document. */
  xmlElements: 5_000_000,
  /** Blocks of one OIR file: a gigabyte in bands of 500 bytes. */
  oirBlocks: 4_000_000,
  /** Subblocks, or segments of any kind, of one CZI file: a week of line scans in pieces of a few lines. */
  cziBlocks: 10_000_000,
  /** Bytes of one metadata chunk of an ND2 file, as stored and unpacked. Real ones reach a few MB. */
  nd2MetadataBytes: 64 * 2 ** 20,
  /** Records of one metadata chunk of an ND2 file. Real ones have about ten thousand. */
  nd2Records: 2_000_000,
  /** Frames and other chunks of one ND2 file. */
  nd2Chunks: 6_000_000,
  /** Bytes that the search for the next chunk of a corrupted ND2 file may skip. */
  nd2GapBytes: 2 ** 30,
  /** Bytes of the tags of one ZVI plane. Real ones have about 5,000. */
  zviTagBytes: 2 ** 20,
  /** Memory blocks of one LIF file: an image each. */
  lifBlocks: 1_000_000,
  /** Bytes of one JSON document of a Zarr hierarchy. Consolidated metadata of large plates reach about 20 MB. */
  zarrMetadataBytes: 64 * 2 ** 20,
  /** Chunks of one plane of a Zarr array: a slide of 250,000 × 250,000 pixels in tiles of 256. */
  zarrChunks: 2 ** 20,
  /** Links of one HDF5 group: Imaris has a group for each time point. */
  hdf5Links: 1_000_000,
  /** Bytes of the names and texts read from one HDF5 file. Many entries may point to one long text. */
  hdf5TextBytes: 64 * 2 ** 20,
  /** Messages, and blocks of messages, of one HDF5 object. */
  hdf5Messages: 65_536,
  /** Bytes of one HDF5 metadata block: an object header, a heap, a node of an index. */
  hdf5BlockBytes: 64 * 2 ** 20,
  /** Chunks of one plane of an HDF5 dataset, and chunks of one index. */
  hdf5Chunks: 2 ** 21,
  /** Elements of one HDF5 array that is read at once, such as time stamps or names. */
  hdf5Elements: 16_000_000,
  /** Entries of one zip archive, each of which becomes an object. What has more is faster as a folder. */
  zipEntries: 2 ** 18,
  /** Bytes of one zip entry that must be inflated in memory. */
  zipInflatedBytes: 2 ** 31 - 1,
} as const;
