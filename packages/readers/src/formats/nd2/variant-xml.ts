/** Parses the XML encoding of trees (version 2, and some chunks of version 3): every element is a value. */
import { decodeText } from '../../io/text.js';
import { parseXml, type XmlElement } from '../../io/xml.js';
import { USED, VariantLevel, type VariantValue } from './variant.js';

/** Parses the tree of an XML payload, without the levels `skip`. Corrupted parts are skipped. */
export function parseVariantXml(bytes: Uint8Array, skip: ReadonlySet<string> = USED.skip): VariantLevel {
  const { root } = parseXml(decodeText(bytes), { skip });
  const tree = new VariantLevel();
  if (root) tree.entries.push({ name: nameOf(root), value: toValue(root) });
  return tree;
}

/** Names of list items are only numbers, so they become empty. */
function nameOf({ name }: XmlElement): string {
  return name === 'no_name' || /^i\d{10}$/.test(name) ? '' : name;
}

function toValue(element: XmlElement): VariantValue {
  const { runtype, value } = element.attributes;
  if (value !== undefined && runtype !== 'CLxListVariant') return scalarOf(runtype, value);
  const level = new VariantLevel();
  for (const child of element.children) level.entries.push({ name: nameOf(child), value: toValue(child) });
  return level;
}

function scalarOf(runtype: string | undefined, value: string): VariantValue {
  switch (runtype) {
    case 'bool':
      return /^(true|[1-9]\d*)$/i.test(value.trim());
    case 'double':
    case 'float':
    case 'lx_int32':
    case 'lx_int64':
    case 'lx_uint32':
    case 'lx_uint64':
      return value.trim() === '' ? Number.NaN : Number(value);
    default:
      return value;
  }
}
