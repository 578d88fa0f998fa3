import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { FolderEntry } from '../../../packages/client/src/contract/files.js';
import { createRecordings, withoutHidden } from '../../../packages/viewer/src/files/recordings.ts';

const entry = (name: string): FolderEntry => ({
  ...{ name, path: `/data/${name}`, kind: 'file' as const, size: 1, modified: 1, openable: true },
});

it('a file is hidden only while the one that stands for it is in the list', async () => {
  const client = { recording: async () => ({ details: {}, others: ['a_t1.tif', 'a_t2.tif'] }) } as never;
  const recordings = createRecordings(client, { list: signal([]) });
  const all = ['a_t0.tif', 'a_t1.tif', 'a_t2.tif', 'b.tif'].map(entry);
  await new Promise((resolve) => recordings.want(all[0]!, resolve));
  const shown = (entries: FolderEntry[]) => withoutHidden(entries, recordings.hidden.value).map(({ name }) => name);
  expect(shown(all)).toEqual(['a_t0.tif', 'b.tif']);
  expect(shown(all.slice(1))).toEqual(['a_t1.tif', 'a_t2.tif', 'b.tif']);
});
