/** Versions of OME-Zarr that an acquisition is served and written in: 0.4 is Zarr 2, 0.5 is Zarr 3. */
export const ZARR_VERSIONS = ['0.4', '0.5'] as const;
export type ZarrVersion = (typeof ZARR_VERSIONS)[number];
