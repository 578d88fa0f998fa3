import { parseXml, type XmlElement } from '../../io/xml.js';
import type { PlaneColumns, ReadColumns } from '../acquisition.js';
import { PLANE_FIELDS, type PlaneField, planeValue } from './ome-plane-value.js';

export interface OmeColumnsOf {
  number: number;
  first: { T: number; Z: number; C: number };
  positionUnit: 'µm' | '';
  isDated: boolean;
}

/**
 * Reads what OME-XML says of the planes of one image: DeltaT, ExposureTime and positions with a unit of length. Of
 * planes that are listed twice, the first counts.
 * @param image `number` of its `Pixels` in the document, numbers of its first plane, unit of positions along Z without one, whether
 * the times count from a date
 * @param sizes those of the scene; `samples` per pixel of each channel, which share what their page has
 */
export function omePlaneColumns(
  text: string,
  { number, first, positionUnit, isDated }: OmeColumnsOf,
  sizes: { T: number; Z: number; samples: readonly number[] },
): ReadColumns {
  let channels = 0;
  const starts = sizes.samples.map((count) => {
    channels += count;
    return channels - count;
  });
  const columns: PlaneColumns = {};
  const add = (plane: XmlElement) => {
    const index = (name: string, from: number) => Number(plane.attributes[name] ?? from) - from;
    const [t, z, c] = [index('TheT', first.T), index('TheZ', first.Z), index('TheC', first.C)];
    const start = starts[c];
    if (!isBelow(t, sizes.T) || !isBelow(z, sizes.Z) || start === undefined) return;
    for (const field of Object.keys(PLANE_FIELDS) as PlaneField[]) {
      const value = planeValue(plane, field, field === 'z' ? positionUnit : '');
      if (value === undefined) continue;
      columns[field] ??= new Float64Array(sizes.T * sizes.Z * channels).fill(Number.NaN);
      const row = (t * sizes.Z + z) * channels + start;
      if (Number.isFinite(columns[field][row])) continue;
      columns[field].fill(value, row, row + sizes.samples[c]!);
    }
  };
  let ended = 0;
  parseXml(text, {
    skip: new Set(['StructuredAnnotations', 'TiffData', 'BinData', 'ROI', 'Instrument', 'CustomAttributes']),
    onElement: (element, parent) => {
      if (element.name === 'Plane' && parent?.name === 'Pixels' && ended === number) add(element);
      if (element.name === 'Pixels') ended++;
      // Settings of a plane are its children.
      return parent?.name === 'Plane';
    },
  });
  return isDated && columns.time ? { ...columns, isFromStart: true } : columns;
}

function isBelow(index: number, size: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < size;
}
