/** Reads small members of groups. What cannot be read becomes a note. */
import { AcqError } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import type { Hdf5Value } from '../../hdf5/values.js';

export interface GroupMembers {
  attempt<T>(read: () => T | Promise<T>): Promise<T | undefined>;
  /** Returns no numbers for a member that is missing. */
  numbers(group: Hdf5Object | undefined, name: string): Promise<number[]>;
  /** Returns the first text. */
  text(group: Hdf5Object | undefined, name: string): Promise<string | undefined>;
}

export function membersOf(fileName: string, notes: Notes): GroupMembers {
  const attempt: GroupMembers['attempt'] = async (read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.add(quoteError('Some metadata were ignored', error.about(fileName)));
      return undefined;
    }
  };
  const member = (group: Hdf5Object | undefined, name: string) => attempt(() => readMember(group, name));
  return {
    attempt,
    numbers: async (group, name) => (await member(group, name))?.numbers ?? [],
    text: async (group, name) => (await member(group, name))?.texts?.[0],
  };
}

/** Reads a small dataset; in older files, an attribute of the same name. */
export async function readMember(group: Hdf5Object | undefined, name: string): Promise<Hdf5Value | undefined> {
  const member = group?.child(name);
  if (member?.isDataset) return await member.dataset.values();
  return group?.attribute(name);
}
