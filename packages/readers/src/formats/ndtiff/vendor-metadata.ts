import type { JsonObject } from '../../base/json.js';
import { addJson } from '../../model/metadata/flatten-json.js';
import type { MetadataList } from '../../model/metadata-list.js';
import type { NdtiffFiles } from './files.js';
import { readOf } from './images.js';
import type { ImageEntry } from './parse.js';

/** Lists the summary of the set, `Summary/PixelSize_um`, then the settings of one image, `Image/ElapsedTime-ms`. */
export function listMetadata(
  files: NdtiffFiles,
  summary: JsonObject,
  image: ImageEntry | undefined,
  list: MetadataList,
): void {
  addJson(list, 'Summary', summary);
  if (!image) return;
  addJson(list, 'Axes', image.axes);
  addJson(list, 'Image', readOf(files, image));
}
