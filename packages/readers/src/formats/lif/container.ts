/** Gathers the images of a LIF file, and the image of a LOF file. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readBlockIndex, type TextBlock } from './blocks.js';
import { describeDocument, describeUnusedBlocks, ImageList } from './images.js';
import { readLof } from './lof.js';
import { parseDocument, type RawLifImage } from './parse.js';
import { FileRange } from './pixel-bytes.js';

/**
 * @param header the text block at the start of the file
 * @throws AcqError `unsupported_format`, `decode_failed`
 */
export function collectLif(source: ByteSource, header: TextBlock, signal?: AbortSignal): ImageList {
  const document = parseDocument(header.text);
  if (document.enhanced) {
    throw unsupported('LIFEXT files cannot be opened alone. Open the .lif file that this one belongs to.');
  }
  const { blocks, problem } = readBlockIndex(source, header.end, signal);
  const list = new ImageList();
  list.notes.addAll(describeDocument(document));
  const unused = describeUnusedBlocks(document, blocks);
  if (unused !== undefined) list.notes.add(unused);
  const pixelsOf = ({ blockId, memorySize }: RawLifImage): FileRange | string => {
    const block = blocks.get(blockId);
    if (memorySize === 0 && !block?.size) return 'nothing was recorded';
    if (block) return new FileRange(source, block.offset, block.size);
    return `its memory block "${blockId}" is missing from the file${problem === '' ? '' : ` (${problem})`}`;
  };
  for (const raw of document.images) list.add(raw, document.saved, pixelsOf(raw));
  return list;
}

/** @throws AcqError `decode_failed` */
export function collectLof(source: ByteSource): ImageList {
  const { pixels, xml, problem } = readLof(source);
  if (xml === '') throw problem ?? decodeFailed('the description of the image is missing');
  const document = parseDocument(xml);
  const list = new ImageList();
  list.notes.addAll(describeDocument(document));
  const [raw, ...others] = document.images;
  if (raw) list.add(raw, document.saved, new FileRange(source, pixels.offset, pixels.size));
  if (others.length > 0) {
    list.notes.add(
      asCorrupted(`The XML describes ${plural(others.length + 1, 'image')}, but the file has only the first.`),
    );
  }
  return list;
}
