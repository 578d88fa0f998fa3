import { LIMITS } from '../../../io/limits.js';
import { decodeText } from '../../../io/text.js';
import type { FlavorContext } from '../arrangement.js';
import { textOf } from '../soft-tags.js';

const IMAGE_DESCRIPTION = 270;
const SOFTWARE = 305;
const ARTIST = 315;

/** The fixed header of ScanImage BigTIFFs (2016 and later): at 16 magic, version, length of the text, of the JSON. */
const FIXED_HEADER_AT = 16;
const FIXED_HEADER_MAGIC = 0x07030301;
const FIXED_HEADER_BYTES = 16;

/** Beginning of a description that is searched for the prefix: version 4 writes a few lines of its own first. */
const SEARCHED = 65_536;

/** The header text, wherever this version has it; `undefined` when the file is not from ScanImage. */
export function readHeaderText(context: FlavorContext): string | undefined {
  const fixed = fixedHeader(context);
  if (fixed) return fixed.text;
  const software = textOf(context.page, SOFTWARE);
  if (/^SI\.[A-Za-z]/.test(software)) return software;
  const description = textOf(context.page, IMAGE_DESCRIPTION);
  return /^(state\.|scanimage\.SI|SI\.[A-Za-z])/m.test(description.slice(0, SEARCHED)) ? description : undefined;
}

/** The RoiGroups JSON. */
export function readRoiText(context: FlavorContext): string {
  return fixedHeader(context)?.json ?? textOf(context.page, ARTIST);
}

function fixedHeader({ file }: FlavorContext): { text: string; json: string } | undefined {
  const { source } = file;
  if (!file.bigTiff || source.size < FIXED_HEADER_AT + FIXED_HEADER_BYTES) return undefined;
  const head = source.read(FIXED_HEADER_AT, FIXED_HEADER_BYTES);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const le = file.littleEndian;
  if (view.getUint32(0, le) !== FIXED_HEADER_MAGIC) return undefined;
  const textLength = view.getUint32(8, le);
  const jsonLength = view.getUint32(12, le);
  const textAt = FIXED_HEADER_AT + FIXED_HEADER_BYTES;
  const fits = textAt + textLength + jsonLength <= source.size && textLength + jsonLength <= LIMITS.metadataBytes;
  if (!fits || textLength === 0) return undefined;
  const read = (at: number, length: number) => decodeText(source.read(at, length)).replace(/\0[\s\S]*$/, '');
  return { text: read(textAt, textLength), json: read(textAt + textLength, jsonLength) };
}
