import { listOme } from '../../model/metadata/flatten-ome.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';

/** Lists the elements of the document, and of its images only that of the scene. */
export function listMetadata(
  text: string,
  { scene, scenes }: { scene: number; scenes: number },
  list: MetadataList,
): void {
  addXml(list, text, listOme(scene, scenes));
}
