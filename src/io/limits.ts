/**
 * Named limits for everything that a file can claim. A count, size or offset from a file is compared with one of
 * these, or with the length of the file, before it allocates or loops.
 */
export const LIMITS = {
  /** UTF-16 code units of a path on Windows: the limit of its file systems. */
  pathUnitsWindows: 32_767,
  /** Bytes of a path elsewhere: twice what Linux takes (PATH_MAX), because a path may hold `.` and `..`. */
  pathBytes: 8_192,
  /** Pages (IFDs) of one TIFF file: 8 hours at 200 frames a second. */
  tiffPages: 6_000_000,
  /** Tags of one IFD. The densest real ones (EM, MetaSeries) have below 200. */
  tiffTags: 4_096,
  /** Bytes of one tag's value that is text or metadata. Real OME-XML blocks reach some 100 MB. */
  metadataBytes: 256 * 2 ** 20,
  /** Strips or tiles of one page. */
  tiffChunks: 2 ** 24,
  /** Bytes of one decoded strip or tile. */
  chunkBytes: 2 ** 30,
  /** Samples per pixel (channels of a chunky page). */
  samplesPerPixel: 1_024,
  /** Pixels along one side of a plane. */
  planeSide: 2 ** 27,
  /** Pixels of one plane: what a Float32Array can hold with room to spare. */
  planePixels: 2 ** 31,
  /** Channels of one acquisition. */
  channels: 65_536,
  /** Scenes of one acquisition. */
  scenes: 100_000,
  /** Planes along T or Z. */
  planes: 6_000_000,
  /** Files of one multi-file acquisition. */
  files: 100_000,
  /** Files that are looked at for the size of an acquisition: half a second on a slow network. */
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
  /** Bytes of one metadata chunk of an ND2 file, as stored and unpacked. Real ones reach some MB. */
  nd2MetadataBytes: 64 * 2 ** 20,
  /** Records of one metadata chunk of an ND2 file. Real ones have some ten thousand. */
  nd2Records: 2_000_000,
  /** Frames and other chunks of one ND2 file. */
  nd2Chunks: 6_000_000,
  /** Bytes without any chunk that the search for the next one of a damaged ND2 file crosses. */
  nd2GapBytes: 2 ** 30,
  /** Memory blocks of one LIF file: an image each. */
  lifBlocks: 1_000_000,
  /** Bytes of one JSON document of a Zarr hierarchy. Consolidated metadata of large plates reach some 20 MB. */
  zarrMetadataBytes: 64 * 2 ** 20,
  /** Chunks of one plane of a Zarr array: a slide of 250,000 × 250,000 pixels in tiles of 256. */
  zarrChunks: 2 ** 20,
  /** Links of one HDF5 group: Imaris keeps a group for each of its time points. */
  hdf5Links: 1_000_000,
  /** Bytes of the names and texts that are read of one HDF5 file. Many entries may point to one long text. */
  hdf5TextBytes: 64 * 2 ** 20,
  /** Messages, and blocks of messages, of one HDF5 object. */
  hdf5Messages: 65_536,
  /** Bytes of one HDF5 metadata block: an object header, a heap, a node of an index. */
  hdf5BlockBytes: 64 * 2 ** 20,
  /** Chunks of one plane of an HDF5 dataset, and chunks that an index is searched for. */
  hdf5Chunks: 2 ** 21,
  /** Elements of one small HDF5 array that is read whole: time stamps, names. */
  hdf5Elements: 16_000_000,
  /** Entries of one zip archive. */
  zipEntries: 2_000_000,
  /** Bytes of one zip entry that has to be inflated as a whole. */
  zipInflatedBytes: 2 ** 31 - 1,
} as const;
