/** Finds the file that describes a whole set, when one file of the set is opened. */
import { latin1 } from '../base/bytes.js';
import { companionMissing, ignoreCorrupted } from '../base/errors.js';
import { aboutAsync } from '../base/subject.js';
import { NameIndex } from '../io/name-index.js';
import type { Acquisition, Format, OpenInput, Reader } from '../model/acquisition.js';
import { HEAD_BYTES, inputBeside } from '../model/input-beside.js';
import { type ListedParts, MAX_NAMES, MAX_PARTS, type SplitRecording } from '../model/recording.js';
import { placeOf } from './name-groups.js';

/** What is known of the names in a folder, whose list stays the same object while nothing changes in it. */
interface Listing {
  index: NameIndex;
  /** Of files that describe sets, by their names, sizes and starts. */
  listed: Map<string, ListedParts | undefined>;
}

const listings = new WeakMap<readonly string[], Listing>();

function listingOf(names: readonly string[]): Listing {
  const known = listings.get(names) ?? { index: new NameIndex(names), listed: new Map() };
  listings.set(names, known);
  return known;
}

/** A file that describes a set, and what the file that was named is in it. */
export interface Master {
  name: string;
  reader: Reader;
  recording: SplitRecording;
}

/**
 * Returns the file that describes the set of a file; nothing when there is none. Lists the folder only for names as files of sets have.
 * @param formats those that may be opened
 */
export async function findMaster(input: OpenInput, formats: readonly Format[]): Promise<Master | undefined> {
  const { probe, source, folder } = input;
  if (!source) return undefined;
  for (const format of formats) {
    const masters = format.mastersOf?.(probe.name) ?? [];
    if (masters.length === 0) continue;
    const names = folder.list();
    if (names.length > MAX_NAMES) return undefined;
    const { index, listed: known } = listingOf(names);
    for (const name of new Set(masters.flatMap((master) => index.find(master) ?? []))) {
      const reader = await format.load();
      const listed = folder.peek(name, (file) => {
        const head = file.read(0, Math.min(HEAD_BYTES, file.size));
        if (format.sniff({ name, kind: 'file', head, entries: [], size: file.size }) !== 'sure') return undefined;
        const key = `${name} ${file.size} ${latin1(head)}`;
        if (!known.has(key))
          known.set(
            key,
            ignoreCorrupted(() => reader.listParts?.(file, name, names)),
          );
        return known.get(key);
      });
      const part = listed ? placeOf(probe.name, listed.names, (one) => one) : -1;
      if (!listed || part < 0 || listed.names.length < 2 || listed.names.length > MAX_PARTS) continue;
      const { along } = listed;
      return {
        name,
        reader,
        recording: { parts: listed.names.length, part, along, evidence: 'master file', master: name },
      };
    }
  }
  return undefined;
}

/** Opens the set of a file, at the first plane of the file. @throws AcqError of the file that describes the set */
export async function openMaster(input: OpenInput, { name, reader, recording }: Master): Promise<Acquisition> {
  const beside = inputBeside(input, name);
  if (!beside) throw companionMissing(`"${name}"`, input.folder.path);
  const opened = await aboutAsync(name, () => reader.open({ ...beside, part: input.probe.name }));
  return { ...opened, info: { ...opened.info, recording } };
}
