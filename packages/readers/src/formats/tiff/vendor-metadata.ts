/** Lists the tags of the first page, with the settings in their texts, and the text file beside an Olympus export. */

import { LIMITS } from '../../base/limits.js';
import { plural } from '../../base/wording.js';
import { decodeText } from '../../io/text.js';
import type { OpenInput } from '../../model/acquisition.js';
import { listOme } from '../../model/metadata/flatten-ome.js';
import { addText } from '../../model/metadata/flatten-text.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import { addReadable } from '../../model/metadata/readable.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { openTiff } from '../../tiff/parse.js';
import { FIELD } from '../../tiff/tags.js';
import type { TiffPage, TiffTag } from '../../tiff/types.js';
import { readImageJMetadata } from './flavors/imagej-items.js';
import { findSidecar, type Sidecar } from './flavors/olympus-files.js';
import { isFluoViewExport } from './flavors/signs.js';
import { isCompanion } from './magic.js';
import { TAG_NAMES, UNLISTED } from './tag-names.js';

/** Numbers of one tag that are listed. */
const MAX_NUMBERS = 16;
/** `info` of its items is a text; the others are look-up tables and labels of slices. */
const IJ_METADATA = 50839;
/** Tags of bytes that are text: Micro-Manager, FEI, Andor, ImageJ and others do not use the type of texts. */
const MIN_PRINTABLE = 0.97;

/**
 * Lists `ImageDescription/SI.hRoiManager.scanZoomFactor`, `Software`, `XResolution`, ….
 * @param scenes number of scenes of the acquisition
 */
export async function listMetadata(
  { source, probe, folder }: OpenInput,
  { scene, scenes }: { scene: number; scenes: number },
  list: MetadataList,
): Promise<void> {
  if (!source) return;
  if (isCompanion(probe)) {
    const text = decodeText(source.read(0, Math.min(source.size, LIMITS.metadataBytes)));
    addXml(list, text, listOme(scene, scenes));
    return;
  }
  const page = openTiff(source).page(0);
  for (const tag of page.tags.values()) {
    if (list.isFull) break;
    if (UNLISTED.has(tag.code)) continue;
    const name = TAG_NAMES[tag.code] ?? `Tag ${tag.code}`;
    await addReadable(list, name, () => addTag(list, name, { page, tag, scene, scenes }));
  }
  addSidecar(list, findSidecar(folder, probe.name, isFluoViewExport(page)).sidecar);
}

/** Lists the text file that has the settings of an Olympus export. */
function addSidecar(list: MetadataList, sidecar: Sidecar | undefined): void {
  for (const [section, pairs] of sidecar?.pairs ?? []) {
    for (const [key, value] of pairs) list.add(`${sidecar!.name}/${section}/${key}`, value);
  }
}

interface ListedTag {
  page: TiffPage;
  tag: TiffTag;
  scene: number;
  scenes: number;
}

function addTag(list: MetadataList, name: string, { page, tag, scene, scenes }: ListedTag): void {
  const { code, type, count } = tag;
  if (code === IJ_METADATA) {
    const [info] = readImageJMetadata(page)?.items('info', 1) ?? [];
    if (info) addText(list, `${name}/info`, decodeText(info));
    return;
  }
  const isBytes = type === FIELD.byte || type === FIELD.undefined || type === FIELD.sbyte;
  if (type === FIELD.ascii || (isBytes && count > MAX_NUMBERS)) {
    const text = page.text(code) ?? '';
    const listing = /<(\w+:)?OME[\s>]/.test(text.slice(0, 8192)) ? listOme(scene, scenes) : {};
    if (type === FIELD.ascii || isPrintable(text, count)) addText(list, name, text, listing);
    else list.add(name, '', plural(count, 'byte'));
    return;
  }
  if (count > MAX_NUMBERS) list.add(name, '', plural(count, 'value'));
  else list.add(name, (page.numbers(code) ?? []).join(' '));
}

function isPrintable(text: string, count: number): boolean {
  const head = text.slice(0, 1000);
  const printable = head.replace(/[^\t\r\n\x20-\x7e\u00a0-\uffff]/g, '').replaceAll('\ufffd', '').length;
  return text.length * 2 >= count && printable >= MIN_PRINTABLE * head.length;
}
