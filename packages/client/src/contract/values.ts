/** Values of the contract. Without its schemas, which take a page longer to load than everything else here. */

/** API version label of every v2 response. */
export const API_VERSION = 'v2' as const;

/** How planes are served: values that match `BinaryDescription`. */
export const BINARY = {
  servedDtype: 'float32',
  encoding: 'raw-f32-le',
  layout: 'row-major',
  mediaType: 'application/octet-stream',
} as const;

/** Limits of the requests for analysis. */
export const ANALYSIS_LIMITS = {
  overviewCells: 4_194_304,
  percentiles: 100,
  bins: 65_536,
  profilePoints: 10_000,
  profileWidth: 1_000,
  /** Places along a profile: a line along a scan of 200,000 lines has so many. */
  profilePlaces: 262_144,
  /** Samples that are interpolated for a profile: its places times its width. */
  profileSamples: 1_048_576,
  regions: 64,
  /** Runs of one region: more than the rows of a large image. */
  runs: 4_096,
} as const;
