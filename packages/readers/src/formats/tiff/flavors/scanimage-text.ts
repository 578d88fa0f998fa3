import { LIMITS } from '../../../base/limits.js';
import { decodeText } from '../../../io/text.js';
import { TAG } from '../../../tiff/tags.js';
import type { FlavorContext } from '../arrangement.js';
import { readDescription, readText } from '../parse.js';

/** The fixed header of ScanImage BigTIFFs (2016 and later) at 16: magic, version, length of the text, of the JSON. */
const FIXED_HEADER_AT = 16;
const FIXED_HEADER_MAGIC = 0x07030301;
const FIXED_HEADER_BYTES = 16;

/** Characters of a description that are searched for the prefix: version 4 starts with a few other lines. */
const SEARCHED = 65_536;

/** Returns the header text from where this version has it, or `undefined` if the file is not from ScanImage. */
export function readHeaderText(context: Pick<FlavorContext, 'file' | 'page'>): string | undefined {
  const fixed = readFixedHeader(context);
  if (fixed) return fixed.text();
  const software = readText(context.page, TAG.software);
  if (/^SI\.[A-Za-z]/.test(software)) return software;
  const description = readDescription(context.page);
  return /^(state\.|scanimage\.SI|SI\.[A-Za-z])/m.test(description.slice(0, SEARCHED)) ? description : undefined;
}

/** Returns the RoiGroups JSON. */
export function readRoiText(context: Pick<FlavorContext, 'file' | 'page'>): string {
  return readFixedHeader(context)?.json() ?? readText(context.page, TAG.artist);
}

function readFixedHeader({
  file,
}: Pick<FlavorContext, 'file'>): { text: () => string; json: () => string } | undefined {
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
  return { text: () => read(textAt, textLength), json: () => read(textAt + textLength, jsonLength) };
}
