/** The regions of interest (ROIs) of ScanImage: JSON that lists which part of the field each was, and with how many pixels. */

/** Longest JSON that is parsed. Hundreds of regions of interest take a few megabytes. */
const MAX_JSON = 64 * 2 ** 20;

/** A rectangle that is scanned at one depth. */
export interface RoiField {
  /** Depth in the unit of the header, µm. */
  z: number;
  /** Pixels. */
  width: number;
  height: number;
  /** Extents in degrees of the scanner. */
  degrees: { x: number; y: number };
}

export interface RawRoi {
  name: string;
  /** True if the region is scanned at the depths of its fields only. With one field, it is scanned at every depth otherwise. */
  isDiscrete: boolean;
  /** Absent if any of them lacks its sizes. */
  fields: RoiField[] | undefined;
}

/** Returns the regions that were scanned, in their order in a frame; `undefined` if the JSON has no list of them. */
export function parseRois(json: string): RawRoi[] | undefined {
  const rois = parseList(json);
  return rois?.map(toObject).filter(isEnabled).map(toRoi);
}

/** Counts the regions of interest in the RoiGroups JSON, which a frame shows one below the other. */
export function countRois(json: string): number | undefined {
  return parseList(json)?.length;
}

function parseList(json: string): unknown[] | undefined {
  if (json === '' || json.length > MAX_JSON) return undefined;
  try {
    const groups = toObject(toObject(JSON.parse(json))['RoiGroups']);
    const { rois } = toObject(groups['imagingRoiGroup']);
    return rois === undefined || rois === null ? undefined : toList(rois);
  } catch {
    return undefined;
  }
}

/** MATLAB writes a list of one as the only element. */
function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isEnabled({ enable }: Record<string, unknown>): boolean {
  return enable !== 0 && enable !== false;
}

function toRoi({ name, discretePlaneMode, scanfields, zs }: Record<string, unknown>): RawRoi {
  const depths = toList(zs);
  const listed = toList(scanfields);
  const fields = listed.map((field, i) => toField(toObject(field), depths[i]));
  const isWhole = depths.length === listed.length && fields.every((field) => field !== undefined);
  return {
    name: typeof name === 'string' ? name : '',
    isDiscrete: discretePlaneMode === 1 || discretePlaneMode === true,
    fields: isWhole ? (fields as RoiField[]) : undefined,
  };
}

function toField(field: Record<string, unknown>, z: unknown): RoiField | undefined {
  const [width, height] = toPair(field['pixelResolutionXY']) ?? [];
  const [x, y] = toPair(field['sizeXY']) ?? [];
  if (typeof z !== 'number' || !isCount(width) || !isCount(height) || x === undefined || y === undefined)
    return undefined;
  return { z, width, height, degrees: { x, y } };
}

function toPair(value: unknown): [number, number] | undefined {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number' && part > 0)
    ? (value as [number, number])
    : undefined;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value);
}
