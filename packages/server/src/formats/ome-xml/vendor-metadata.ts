import { listOme } from '../../metadata/flatten-ome.js';
import { addXml } from '../../metadata/flatten-xml.js';
import type { MetadataList } from '../../metadata-list.js';

/** Lists the elements of the document, and of its images only that of the scene. */
export function listMetadata(
  text: string,
  { scene, scenes }: { scene: number; scenes: number },
  list: MetadataList,
): void {
  addXml(list, text, listOme(scene, scenes));
}
