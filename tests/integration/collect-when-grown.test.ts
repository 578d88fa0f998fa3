/** What the flags of collectWhenGrown do in the V8 of this Node. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { collectWhenGrown } from '../../packages/server/src/collect-garbage.js';

/** Makes the young generation large, then much garbage in a small heap, and nothing that stays. */
const PROGRAM = `
  let kept = Array.from({ length: 400_000 }, (_, i) => ({ i }));
  kept = kept.slice(0, 50_000);
  const some = [];
  for (let turn = 0; turn < 400; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 20_000; i++) some[i & 255] = { i, turn };
  }
  console.log(kept.length);
`;

function fullCollections(flags: readonly string[]): number {
  const node = spawnSync(process.execPath, ['--trace-gc', ...flags, '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  expect(node.stdout).toContain('50000');
  return node.stdout.match(/Mark-Compact/g)?.length ?? 0;
}

it('a small heap with much garbage is not collected as a whole', ({ skip }) => {
  const flags: string[] = [];
  collectWhenGrown((flag) => flags.push(flag));
  skip(fullCollections([]) === 0, 'this Node does not collect such a heap anyway');
  expect(fullCollections(flags)).toBe(0);
});
