/**
 * Finds out, when one file is opened, whether it is a part of a recording in several files. That is looked for at every open, so
 * it lists the folder only for names with a number, and looks into a few files only. `all.ts` looks at all of them.
 */
import { missingIfCorrupted } from '../base/errors.js';
import type { ByteSource } from '../io/byte-source.js';
import type { Folder } from '../io/folder.js';
import type { Format, OpenInput, ReadSigns } from '../model/acquisition.js';
import { MAX_NAMES, MAX_PARTS, type PartSigns, type SplitRecording } from '../model/recording.js';
import { findExport } from './leica-export.js';
import { findMaster } from './master.js';
import { placeOf } from './name-groups.js';
import { countedNames, eachPlace, hasLabel, hasNumber, type LabeledNames, labeledNames, placeKey } from './names.js';

/** Reads what the start of a file shows, from the files of one folder. */
export class Signs {
  private readonly folder: Folder;
  private readonly read: ReadSigns;

  constructor(folder: Folder, read: ReadSigns) {
    this.folder = folder;
    this.read = read;
  }

  of(name: string): PartSigns | undefined {
    return this.folder.peek(name, (source) => readOrNothing(this.read, source));
  }
}

function readOrNothing(read: ReadSigns, source: ByteSource): PartSigns | undefined {
  try {
    return read(source);
  } catch (error) {
    return missingIfCorrupted(error);
  }
}

/**
 * Returns the recording that a file is a part of, judging by a file that describes it, else by `findRecording`.
 * @param formats those that may be opened
 */
export async function recordingOf(
  input: OpenInput,
  read: ReadSigns,
  formats: readonly Format[],
): Promise<SplitRecording | undefined> {
  return (await findMaster(input, formats))?.recording ?? findRecording(input, read);
}

/** Returns the recording that a file is a part of, judging by the names in its folder and the start of a few files. */
export function findRecording(input: OpenInput, read: ReadSigns): SplitRecording | undefined {
  const { probe, source, folder } = input;
  if (!source || !hasNumber(probe.name)) return undefined;
  const own = readOrNothing(read, source);
  if (!own) return undefined;
  const signs = new Signs(folder, read);
  if (own.counted) return findCounted(probe.name, own, folder, signs);
  const exported = findExport(input);
  if (!exported) return findLabeled(probe.name, own, folder, signs);
  const found = findAlike(probe.name, own, exported.names, signs);
  return found && { ...found, evidence: 'master file', master: exported.xml };
}

/** True when two files have frames of one recording. */
export function isSameRecording(a: PartSigns, b: PartSigns | undefined): boolean {
  return a.counted !== undefined && a.counted.recording === b?.counted?.recording && a.shape === b.shape;
}

/** Files of one recording follow each other by name: only the first and the last of them are searched. */
function findCounted(name: string, own: PartSigns, folder: Folder, signs: Signs): SplitRecording | undefined {
  const listed = folder.list();
  if (listed.length > MAX_NAMES) return undefined;
  const names = countedNames(name, listed);
  const at = placeOf(name, names, (other) => other.name);
  if (at < 0 || names.length < 2) return undefined;
  const isPart = (index: number) => index === at || isSameRecording(own, signs.of(names[index]!.name));
  const first = farthest(at, 0, isPart);
  const last = farthest(at, names.length - 1, isPart);
  const parts = last - first + 1;
  if (parts < 2 || parts > MAX_PARTS) return undefined;
  return { parts, part: at - first, along: ['T'], evidence: 'frame numbers' };
}

/**
 * Returns the index farthest from one that belongs to the parts, towards another, that belongs to them, too. Most files are
 * parts of nothing, or of what all files of their names are parts of: then two looks are enough.
 */
function farthest(from: number, to: number, isPart: (index: number) => boolean): number {
  const next = from + Math.sign(to - from);
  if (!isPart(next)) return from;
  if (isPart(to)) return to;
  let [inside, outside] = [next, to];
  while (Math.abs(outside - inside) > 1) {
    const middle = (inside + outside) >> 1;
    if (isPart(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

function findLabeled(name: string, own: PartSigns, folder: Folder, signs: Signs): SplitRecording | undefined {
  // Most names with a number have none that says what it counts: then the folder is not listed.
  const listed = hasLabel(name) ? folder.list() : [];
  if (listed.length > MAX_NAMES) return undefined;
  const names = labeledNames(name, listed);
  return names && findAlike(name, own, names, signs);
}

/** Returns the recording of files with labeled numbers, when none is missing and the first and the last are like the named one. */
function findAlike(name: string, own: PartSigns, names: LabeledNames, signs: Signs): SplitRecording | undefined {
  if (names.missing !== undefined || names.doubled || names.files.length > MAX_PARTS) return undefined;
  const order = filesInOrder(names);
  const isAlike = [order[0]!, order.at(-1)!].every((other) => other === name || isSameShape(own, signs.of(other)));
  const part = placeOf(name, order, (other) => other);
  return isAlike && part >= 0 ? { parts: order.length, part, along: names.along, evidence: 'names' } : undefined;
}

/** Files whose frames are counted say themselves what they are a part of. */
function isSameShape(own: PartSigns, other: PartSigns | undefined): boolean {
  return other !== undefined && !other.counted && other.shape === own.shape;
}

const orders = new WeakMap<LabeledNames, readonly string[]>();

/** Returns the names of files without gaps, slowest axis first. */
export function filesInOrder(names: LabeledNames): readonly string[] {
  const known = orders.get(names);
  if (known) return known;
  const { along, numbers, files } = names;
  const byPlace = new Map(files.map(({ name, at }) => [placeKey(along, at), name]));
  const order = [...eachPlace(along, numbers)].map((at) => byPlace.get(placeKey(along, at))!);
  orders.set(names, order);
  return order;
}
