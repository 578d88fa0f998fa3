/** Lists the documents of a store: those of its root and of one image, and the OME-XML beside the images. */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { addJson } from '../../model/metadata/flatten-json.js';
import { listOme } from '../../model/metadata/flatten-ome.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import { addReadable } from '../../model/metadata/readable.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { parseDocument } from './json.js';
import { joinPath, type Store } from './store.js';

const DOCUMENTS = ['zarr.json', '.zattrs'];
const XML = 'OME/METADATA.ome.xml';

/**
 * Names start with the key of their document: `0/.zattrs/omero/channels[0]/label`.
 * @param groups path of the group of each scene
 */
export async function listMetadata(
  store: Store,
  groups: readonly string[],
  scene: number,
  list: MetadataList,
): Promise<void> {
  for (const path of new Set(['', groups[scene] ?? ''])) {
    for (const key of DOCUMENTS.map((name) => joinPath(path, name))) {
      await addReadable(list, key, () => addDocument(list, key, store.open(key)));
    }
  }
  await addReadable(list, XML, () => {
    const source = store.open(XML);
    if (!source || source.size > LIMITS.zarrMetadataBytes) return;
    addXml(list, decodeText(source.read(0, source.size)), { prefix: XML, ...listOme(scene, groups.length) });
  });
}

function addDocument(list: MetadataList, key: string, source: ByteSource | undefined): void {
  if (!source) return;
  // Consolidated metadata repeat the other documents.
  const { consolidated_metadata: _repeated, ...document } = parseDocument(source);
  addJson(list, key, document);
}
