/** Lists a text of unknown form: XML, JSON, lines of names with values, or anything else. */
import type { MetadataList } from '../metadata-list.js';
import { addJson } from './flatten-json.js';
import { addXml, type XmlListing } from './flatten-xml.js';

/** Characters of the name in a line. */
const MAX_NAME = 120;

/**
 * Lists a text under its name, which may be empty when the text is all there is. Settings in it become entries of their
 * own: `ImageDescription/SI.hRoiManager.scanZoomFactor`.
 */
export function addText(list: MetadataList, name: string, text: string, listing: XmlListing = {}): void {
  const trimmed = text.replace(/\0+$/, '').trim();
  if (isXml(trimmed)) addXml(list, trimmed, { ...listing, prefix: name });
  else if (addJsonText(list, name, trimmed)) return;
  else if (trimmed.startsWith('{') || !addLines(list, name, trimmed)) list.add(name, trimmed);
}

/** Lists a JSON object or array. @returns false when the text is something else */
function addJsonText(list: MetadataList, name: string, text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  addJson(list, name, value);
  return true;
}

/**
 * Lists lines like `key = value` and `key: value`. Sections (`[Name]`) become part of the names.
 * @returns false for a text that is mostly something else
 */
function addLines(list: MetadataList, name: string, text: string): boolean {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({ line, section: toSection(line), setting: toSetting(line) }));
  const known = lines.filter(({ section, setting }) => section ?? setting).length;
  if (known * 2 < lines.length || !lines.some(({ setting }) => setting)) return false;
  const start = name === '' ? '' : `${name}/`;
  let within = start;
  for (const { line, section, setting } of lines) {
    if (list.isFull) break;
    if (section !== undefined) within = `${start}${section}/`;
    else if (setting) list.add(within + setting.key, setting.value);
    else list.add(name, line);
  }
  return true;
}

function toSection(line: string): string | undefined {
  return line.startsWith('[') && line.endsWith(']') && line.length <= MAX_NAME ? line.slice(1, -1) : undefined;
}

function toSetting(line: string): { key: string; value: string } | undefined {
  const head = line.slice(0, MAX_NAME + 2);
  const at = head.search(/=|:(?=\s|$)/);
  return at > 0 ? { key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() } : undefined;
}

function isXml(text: string): boolean {
  return /^<(\?xml|!--|!DOCTYPE|[A-Za-z_][\w:.-]*[\s/>])/.test(text.slice(0, 200));
}
