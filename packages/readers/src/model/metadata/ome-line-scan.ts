/**
 * Namespace of the map annotation with the line period of a line scan, in the keys `LinePeriod` and `LinePeriodUnit`
 * (default: seconds). See `docs/formats/ome-line-scans.md`.
 */
export const LINE_SCAN_NAMESPACE = 'acquisition-store/line-scan';
