/** Lists the elements and attributes of an XML document by their paths. */

import { plural } from '../../base/wording.js';
import { parseXml, type XmlElement } from '../../io/xml.js';
import type { MetadataList } from '../metadata-list.js';

/** Siblings of one name that are listed: a recording may have an element for each of a million planes. */
const MAX_SIBLINGS = 100;

/** How an element that is itself a name with a value is listed. */
export interface XmlEntry {
  /** Its name in the path, instead of that of the element. */
  name: string;
  /** Absent: the element has no value of its own. */
  value?: string | undefined;
  /** Attributes that are not listed: those that `name` and `value` come from. */
  hidden: readonly string[];
}

export interface XmlListing {
  /** Starts every name; empty when omitted. */
  prefix?: string;
  /** How many siblings of a name are listed, where 100 are too many: an element for each plane, with all settings. */
  limits?: Readonly<Record<string, number>>;
  /** False for an element that is not listed, with everything inside; called when the element ends. */
  isListed?: (element: XmlElement) => boolean;
  /** Returns the element to list instead of the root. */
  select?: (root: XmlElement) => XmlElement | undefined;
  /** Returns `undefined` for an element that is listed by its own name. */
  toEntry?: (element: XmlElement) => XmlEntry | undefined;
}

/**
 * Lists a document without the name of its root: `Instrument/Objective:1/NominalMagnification`. Siblings of one name are
 * numbered from 1: `Channel[2]/Name`. A corrupted document is listed up to where it can be read.
 */
export function addXml(list: MetadataList, text: string, listing: XmlListing = {}): void {
  const omitted = new Map<XmlElement, Map<string, number>>();
  const counts = new WeakMap<XmlElement, Map<string, number>>();
  const onElement = (element: XmlElement, parent: XmlElement | undefined) => {
    if (!parent) return true;
    if (listing.isListed?.(element) === false) return false;
    const { name } = element;
    const isWithin = increment(counts, parent, name) <= maxSiblings(name, listing);
    if (!isWithin) increment(omitted, parent, name);
    return isWithin;
  };
  const { root } = parseXml(text, { onElement });
  const selected = root && listing.select ? listing.select(root) : root;
  if (selected) addElement(list, selected, listing, omitted);
}

/** Lists an element that is parsed already, like `addXml`. */
function addElement(
  list: MetadataList,
  root: XmlElement,
  listing: XmlListing,
  omitted: ReadonlyMap<XmlElement, ReadonlyMap<string, number>> = new Map(),
): void {
  const { prefix = '', toEntry = toIdEntry } = listing;
  const add = (element: XmlElement, path: string, entry: XmlEntry | undefined) => {
    if (list.isFull) return;
    const within = path === '' ? '' : `${path}/`;
    const text = entry?.value ?? element.text.trim();
    if (path !== '' && (entry?.value !== undefined || text !== '' || isEmpty(element))) list.add(path, text);
    for (const [name, value] of Object.entries(element.attributes)) {
      if (!entry?.hidden.includes(name)) list.add(within + name, value);
    }
    const children = element.children.map((child) => ({ child, entry: toEntry(child) }));
    const names = numberRepeats(children.map(({ child, entry }) => entry?.name ?? child.name));
    children.forEach(({ child, entry }, i) => {
      add(child, within + names[i], entry);
    });
    for (const [name, count] of omitted.get(element) ?? []) {
      list.add(
        `${within}${name}[${maxSiblings(name, listing) + 1}]`,
        '',
        `${plural(count, 'more element')} of this name`,
      );
    }
  };
  add(root, prefix, undefined);
}

function maxSiblings(name: string, { limits }: XmlListing): number {
  return limits && Object.hasOwn(limits, name) ? limits[name]! : MAX_SIBLINGS;
}

/** Lists an element with an id like `Objective:1` under it, which is how the elements refer to each other. */
function toIdEntry({ name, attributes }: XmlElement): XmlEntry | undefined {
  const key = attributes['Id'] === undefined ? 'ID' : 'Id';
  const id = attributes[key];
  return id?.startsWith(`${name}:`) && id.length <= 64 ? { name: id, hidden: [key] } : undefined;
}

/** Returns names with a number behind those that are there several times. */
export function numberRepeats(names: readonly string[]): string[] {
  const totals = new Map<string, number>();
  for (const name of names) totals.set(name, (totals.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  return names.map((name) => {
    if (totals.get(name) === 1) return name;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return `${name}[${number}]`;
  });
}

function isEmpty({ attributes, children }: XmlElement): boolean {
  return children.length === 0 && Object.keys(attributes).length === 0;
}

interface NameCounts {
  get(element: XmlElement): Map<string, number> | undefined;
  set(element: XmlElement, counts: Map<string, number>): unknown;
}

function increment(counts: NameCounts, element: XmlElement, name: string): number {
  const named = counts.get(element) ?? new Map<string, number>();
  counts.set(element, named);
  const count = (named.get(name) ?? 0) + 1;
  named.set(name, count);
  return count;
}
