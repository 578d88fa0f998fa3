/** The formats that can be written, in the order of the help. What writes them is loaded with a first export. */
export const EXPORT_NAMES = ['ome-zarr', 'ome-tiff', 'imagej', 'npy', 'csv', 'png'] as const;
export type ExportName = (typeof EXPORT_NAMES)[number];
