import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type CutXml, cutXmlBlocks } from '../../io/xml-blocks.js';
import { parseOme, type RawOme } from '../../model/metadata/ome-document.js';

export interface OmeDocument {
  ome: RawOme;
  /** The text without pixels, and where these are. */
  cut: CutXml;
}

/**
 * Reads the document once, without keeping its pixels.
 * @throws AcqError `unsupported_format` if it contains no pixels, `decode_failed`
 */
export function readDocument(source: ByteSource): OmeDocument {
  const cut = cutXmlBlocks(source, 'BinData');
  const ome = parseOme(cut.text);
  if (ome.images.length > LIMITS.scenes)
    throw decodeFailed(`lists ${grouped(ome.images.length)} images; the limit is ${grouped(LIMITS.scenes)}`);
  if (ome.images.some(({ pixels }) => pixels.binData.length > 0)) return { ome, cut };
  if (!ome.complete) throw decodeFailed(`the OME-XML is truncated or corrupted (${ome.errors[0] ?? 'no end tag'})`);
  throw unsupported('contains metadata only, and no pixels. Open the image file that it describes.');
}
