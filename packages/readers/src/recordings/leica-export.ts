/**
 * Series that Leica's LAS X and LAS AF export: `Name_t00_s00_z00_ch00.tif`, with the XML of the image in `MetaData`. Only names that
 * begin with the name of an XML are of its series, so that numbers in the name of the image count nothing.
 */
import { ignoreCorrupted } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import type { Folder } from '../io/folder.js';
import { nameKey } from '../io/name-index.js';
import { decodeText } from '../io/text.js';
import type { OpenInput } from '../model/acquisition.js';
import { MAX_NAMES } from '../model/recording.js';
import { type LabeledNames, labeledNames } from './names.js';

/** The files of an exported image, and what its XML says. */
export interface LeicaExport {
  /** Name of the XML in the folder of the files. */
  xml: string;
  text: string;
  names: LabeledNames;
}

/** What Leica adds to the name of an image: numbers of time, stage position, section and channel, from 0. */
const ADDED = /(?:_(?:[tsz]\d{1,6}|RAW|ch\d{1,3}))+(?=\.tiff?$)/i;
/** Folders in which the XML is. Older versions write it beside the files. */
const FOLDERS = ['MetaData', ''];

/** Returns the exported image that a file is a part of; nothing when no XML describes it, or it is its only file. */
export function findExport({ probe, folder }: OpenInput): LeicaExport | undefined {
  const added = ADDED.exec(probe.name)?.[0];
  if (added === undefined) return undefined;
  const listed = folder.list();
  if (listed.length > MAX_NAMES) return undefined;
  for (const stem of stemsOf(probe.name, added)) {
    for (const xml of xmlsOf(stem, folder, listed)) {
      const text = folder.peek(xml, (source) =>
        source.size <= LIMITS.sidecarBytes ? ignoreCorrupted(() => decodeText(source.read(0, source.size))) : undefined,
      );
      if (text === undefined || !text.includes('<ImageDescription')) continue;
      const names = namesBehind(stem, probe.name, listed);
      if (names) return { xml, text, names };
    }
  }
  return undefined;
}

/** Names that the image may have, the shortest first: the name itself may end like one of a file. */
function stemsOf(name: string, added: string): string[] {
  const blocks = added.slice(1).split('_');
  const start = name.slice(0, ADDED.exec(name)!.index);
  return blocks.map((_, i) => [start, ...blocks.slice(0, i)].join('_'));
}

function* xmlsOf(stem: string, folder: Folder, listed: readonly string[]): Generator<string> {
  for (const wanted of FOLDERS) {
    const inside = wanted === '' ? '' : listed.find((name) => nameKey(name) === nameKey(wanted));
    if (inside === undefined) continue;
    const keys = new Map((inside === '' ? listed : folder.list(inside)).map((name) => [nameKey(name), name]));
    for (const end of ['.xml', '_Properties.xml']) {
      const name = keys.get(nameKey(stem + end));
      if (name !== undefined) yield inside === '' ? name : `${inside}/${name}`;
    }
  }
}

const groups = new WeakMap<readonly string[], Map<string, readonly string[]>>();

/** Returns the files whose names differ from a name behind a stem. Each of thousands of files asks for them. */
function namesBehind(stem: string, name: string, listed: readonly string[]): LabeledNames | undefined {
  const known = groups.get(listed) ?? new Map<string, readonly string[]>();
  groups.set(listed, known);
  const key = nameKey(stem);
  const ends =
    known.get(key) ?? listed.flatMap((one) => (nameKey(one).startsWith(`${key}_`) ? [one.slice(stem.length)] : []));
  known.set(key, ends);
  const found = labeledNames(name.slice(stem.length), ends);
  return found && withStem(name.slice(0, stem.length), found);
}

const whole = new WeakMap<LabeledNames, LabeledNames>();

function withStem(stem: string, found: LabeledNames): LabeledNames {
  const known = whole.get(found);
  if (known) return known;
  const { files, doubled, missing, ...rest } = found;
  const names: LabeledNames = {
    ...rest,
    files: files.map(({ name, at }) => ({ name: stem + name, at })),
    ...(doubled && { doubled: [stem + doubled[0], stem + doubled[1]] }),
    ...(missing !== undefined && { missing: stem + missing }),
  };
  whole.set(found, names);
  return names;
}
