/** Lists the descriptions of the file and of a stack, and the tags of the stack. */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { addText } from '../../model/metadata/flatten-text.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { readText, viewOf } from './bytes.js';
import type { RawObf, RawStack } from './parse.js';

export function listMetadata(source: ByteSource, { description }: RawObf, stack: RawStack, list: MetadataList): void {
  const text = readText(source, description);
  if (text.trim() !== '') addText(list, 'File', text);
  list.add('Name', stack.name);
  for (const [k, label] of (stack.footer?.labels ?? []).entries()) {
    list.add(`Axis ${k + 1}`, label, `${stack.sizes[k]} entries, length ${stack.lengths[k]}`);
  }
  const own = readText(source, stack.description);
  if (own.trim() !== '') addText(list, 'Description', own);
  for (const [name, value] of tagsOf(source, stack)) addText(list, name, value);
}

/** Names and values follow each other, each with its length in front; a name of length 0 is the end. */
function* tagsOf(source: ByteSource, { footer }: RawStack): Generator<[name: string, value: string]> {
  if (!footer) return;
  const { at, bytes } = footer.tags;
  const block = source.read(at, Math.min(bytes, source.size - at, LIMITS.metadataBytes));
  const view = viewOf(block);
  let position = 0;
  const next = (): string | undefined => {
    if (position + 4 > block.length) return undefined;
    const length = view.getUint32(position, true);
    const start = position + 4;
    position = start + length;
    return length > 0 && position <= block.length ? decodeText(block.subarray(start, position)) : undefined;
  };
  for (let name = next(); name !== undefined; name = next()) yield [name, next() ?? ''];
}
