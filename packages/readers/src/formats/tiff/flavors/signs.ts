/** How flavors are told apart: by the tags of the first page, its texts and the head of the file. Small, because every TIFF needs it. */
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { readText } from '../parse.js';

/** Header of FluoView. */
export const MM_HEAD = 34361;
/** Tag of Micro-Manager with the metadata of a plane as JSON. */
export const PLANE_METADATA = 51123;
/** FEI_HELIOS and FEI_SFEG: microscope settings as INI text. Newer software stores other data in the second tag. */
export const FEI_SETTINGS = [34682, 34680];
export const NIH_HEADER = 43314;
export const MIN_NIH_HEADER_BYTES = 256;
/** One record for each plane of MetaMorph STK. */
export const UIC2 = 33629;

/** Marks the offset of the index that Micro-Manager lists between the TIFF header and the first IFD. */
const INDEX_OFFSET_MARK = 54_773_648;
/** Characters that are searched for the root element, which usually follows a long comment. */
const ROOT_WITHIN = 8_192;

/** True for TIFFs written by the FluoView export, with or without a text file. */
export function isFluoViewExport(page: TiffPage): boolean {
  return /^FV30S-SW/.test(readText(page, TAG.software));
}

export function isOme(text: string): boolean {
  return (
    /^\s*</.test(text) && (/OME>\s*$/.test(text.slice(-64)) || /<(\w+:)?OME[\s>]/.test(text.slice(0, ROOT_WITHIN)))
  );
}

/** True for descriptions written by ImageJ and Fiji, and by SCIFIO in the same form. */
export function isImageJText(text: string): boolean {
  return /^(ImageJ|SCIFIO)=/.test(text);
}

/** True for the `<MetaData>` XML that MetaMorph 7.5, MetaXpress and VisiView write as ImageDescription. */
export function isMetaSeries(description: string): boolean {
  return /^\s*(<\?xml[^>]{0,200}>\s*)?<MetaData>/.test(description.slice(0, 1024));
}

/** True for MMStack files: they have a mark in their header, or metadata in their first plane. */
export function isMicroManager(file: TiffFile, page: TiffPage): boolean {
  return page.tags.has(PLANE_METADATA) || indexOffset(file) !== undefined;
}

/** Returns where the index of Micro-Manager is. */
export function indexOffset(file: TiffFile): number | undefined {
  return readHeaderField(file, 8, INDEX_OFFSET_MARK);
}

/** Returns the number that follows a mark in the header. */
export function readHeaderField(
  { source, littleEndian, bigTiff }: TiffFile,
  at: number,
  mark: number,
): number | undefined {
  if (bigTiff || source.size < at + 8) return undefined;
  const bytes = source.read(at, 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0, littleEndian) === mark ? view.getUint32(4, littleEndian) : undefined;
}
