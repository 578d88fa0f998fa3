import { allElements, parseXml } from '../../../io/xml.js';

/** Longest description that is parsed. The metadata of a plane are a few kilobytes. */
const MAX_TEXT = 4 * 2 ** 20;

/** Properties of one plane by id: `spatial-calibration-x`, `acquisition-time-local`, `_IllumSetting_` … */
export type PlaneProperties = ReadonlyMap<string, string>;

/** Parses `<prop id=… value=…>` elements, including custom ones. The first element with an id counts. */
export function parseMetaSeries(description: string): PlaneProperties {
  const properties = new Map<string, string>();
  for (const { name, attributes } of allElements(parseXml(description.slice(0, MAX_TEXT)).root)) {
    const id = attributes['id'];
    if (!/^(custom-)?prop$/.test(name) || id === undefined || properties.has(id)) continue;
    properties.set(id, attributes['value'] ?? '');
  }
  return properties;
}
