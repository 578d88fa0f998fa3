/** Lists the documents of the main file of a recording, and those of its first frame. */
import { LIMITS } from '../../base/limits.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import { addReadable } from '../../model/metadata/readable.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { readAllDocuments } from './documents.js';
import type { Recording } from './recording.js';

/** Names start with the root of their document: `imageProperties/acquisition/objectiveLens/naValue`. */
export async function listMetadata({ files, name }: Recording, list: MetadataList): Promise<void> {
  const main = files.find(({ file }) => file === 0);
  if (!main) return;
  const seen = new Set<string>();
  const blocks = [...main.documents, ...main.frames.slice(0, 1).map(({ properties }) => properties)];
  for (const block of blocks) {
    if (list.isFull) break;
    await addReadable(list, name, () => {
      for (const { root, text } of readAllDocuments(main, block, LIMITS.metadataBytes)) {
        // The index repeats documents.
        if (!seen.has(text)) addXml(list, text.trim(), { prefix: root });
        seen.add(text);
      }
    });
  }
}
