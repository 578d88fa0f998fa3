import { describe, expect, it } from 'vitest';
import type { WatchRequest } from '../../../packages/server/src/paths/watch-files.js';
import { FileWatch } from '../../../packages/server/src/sessions/file-watch.js';
import type { SessionRecord } from '../../../packages/server/src/sessions/record.js';

const fileOf = (i: number) => ({ path: `/data/scan.ome.zarr/${i}`, size: 8, mtimeNs: '1', ino: String(i) });

/** Follows a session that has read so many files, and returns what the first look is asked for and tells. */
async function firstLook(count: number, change: (path: string) => number) {
  const fingerprints = Array.from({ length: count }, (_, i) => fileOf(i));
  const record = { id: 'a', revision: 'opened', openedAt: 1, fingerprints } as unknown as SessionRecord;
  let asked: WatchRequest | undefined;
  const look = async (request: WatchRequest) => {
    asked = request;
    const known = new Map(fingerprints.map((one) => [one.path, one]));
    const files = request.files.map((path) => ({ path, facts: { ...known.get(path)!, size: change(path) } }));
    return { files, folders: [], shared: undefined, last: [] };
  };
  const watch = new FileWatch('/data/scan.ome.zarr', { look, check: async () => {} }, () => {});
  const revision = await new Promise<string | null>((resolve) => {
    watch.add(record, { onState: resolve, onChange: () => {}, onEnd: () => {} });
  });
  watch.stop();
  return { files: asked!.files, revision };
}

describe('a look at the files of a followed session', () => {
  it('is at all of a thousand files, and at the first 100 and the last 900 of more', async () => {
    const paths = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => fileOf(from + i).path);
    expect((await firstLook(1_000, () => 8)).files).toEqual(paths(0, 1_000));
    expect((await firstLook(5_000, () => 8)).files).toEqual([...paths(0, 100), ...paths(4_100, 5_000)]);
  });

  it('tells of a change in any of them, and of nothing else', async () => {
    expect((await firstLook(5_000, () => 8)).revision).toBe('opened');
    for (const changed of [0, 99, 4_100, 4_999]) {
      const { revision } = await firstLook(5_000, (path) => (path === fileOf(changed).path ? 9 : 8));
      expect(revision).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});
