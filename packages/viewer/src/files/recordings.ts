/** What is in the recordings of a folder: asked for the rows in view, each recording once. */
import { AcqClientError, type DescribedRecording, type FolderEntry } from '@acquisition-store/client';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Tasks } from '../app/tasks.ts';
import type { Engine } from '../model/client.ts';
import { createRowFacts, type RowFacts } from './row-facts.ts';

/** What a row says of a recording, or why it cannot be opened. */
export type RecordingFacts = DescribedRecording | { readonly problem: string };

export interface Recordings extends RowFacts<RecordingFacts> {
  /** Paths of files that belong to a recording which is shown by another of its files, and the path of that one. */
  readonly hidden: ReadonlySignal<ReadonlyMap<string, string>>;
}

/** Returns the entries without those that another entry stands for. */
export function withoutHidden(entries: readonly FolderEntry[], hidden: ReadonlyMap<string, string>): FolderEntry[] {
  const present = new Set(entries.map(({ path }) => path));
  return entries.filter(({ path }) => !present.has(hidden.get(path) ?? ''));
}

/** @param tasks what the user waits for: nothing is asked meanwhile */
export function createRecordings(client: Engine, tasks: Pick<Tasks, 'list'>): Recordings {
  const hidden = signal<ReadonlyMap<string, string>>(new Map());
  /** Files that stand for what belongs together: the first that was asked for. */
  const standing = new Set<string>();
  const hide = ({ path }: FolderEntry, { first, others = [] }: DescribedRecording) => {
    const inFolder = (name: string) => path.slice(0, path.length - path.split(/[\\/]/).at(-1)!.length) + name;
    const main = first === undefined ? path : inFolder(first);
    if (hidden.value.has(main)) return;
    standing.add(main);
    const more = [path, ...others.map(inFolder)].filter((one) => one !== main && !standing.has(one));
    if (more.length > 0) hidden.value = new Map([...hidden.value, ...more.map((one) => [one, main] as const)]);
  };
  const facts = createRowFacts<RecordingFacts>(tasks, {
    async find(entry, stop) {
      const told = await client.recording(entry.path, { signal: stop });
      hide(entry, told);
      return told;
    },
    failed: (error) => ({ problem: error instanceof AcqClientError ? error.message : String(error) }),
  });
  return { ...facts, hidden };
}
