import type { ByteSource } from '../../io/byte-source.js';
import { addText } from '../../model/metadata/flatten-text.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { readText } from './parse.js';

/** Lists the lines of the header, `SI.hRoiManager.scanZoomFactor`, then the regions of interest. */
export function listMetadata(header: ByteSource, list: MetadataList): void {
  const { lines, json } = readText(header);
  addText(list, '', lines);
  if (json !== '') addText(list, '', json);
}
