import type { MetadataList } from '../../model/metadata-list.js';
import type { NdScene, NdSet } from './arrange.js';

/** Lists the lines of the `.nd`, then the settings in the first file of a scene. */
export async function listMetadata({ nd }: NdSet, scene: NdScene | undefined, list: MetadataList): Promise<void> {
  for (const [key, value] of nd.entries) list.add(key, value);
  const [part] = scene?.parts ?? [];
  await part?.sample.listMetadata?.(part.inner, list);
}
