/** What the flags of collectWhenGrown do in the V8 of this Node. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { collectWhenGrown } from '../../packages/server/src/collect-garbage.js';

/** Makes the young generation large, then much garbage in a small heap, and nothing that stays. */
const MUCH_GARBAGE = `
  let kept = Array.from({ length: 400_000 }, (_, i) => ({ i }));
  kept = kept.slice(0, 50_000);
  const some = [];
  for (let turn = 0; turn < 400; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 20_000; i++) some[i & 255] = { i, turn };
  }
  console.log(kept.length);
`;

/**
 * Collects a heap of some MiB as a whole. Then memory goes to another thread and comes back, like that of planes, and some garbage
 * grows old.
 */
const MEMORY_COMES_BACK = `
  const { MessageChannel } = await import('node:worker_threads');
  const { Session } = await import('node:inspector');
  const kept = Array.from({ length: 600_000 }, (_, i) => ({ i }));
  const session = new Session();
  session.connect();
  await new Promise((resolve) => session.post('HeapProfiler.collectGarbage', resolve));
  session.disconnect();
  console.log('collected');
  const { port1: here, port2: there } = new MessageChannel();
  there.on('message', (block) => there.postMessage(block, [block]));
  const old = [];
  let blocks = Array.from({ length: 4 }, () => new ArrayBuffer(2 ** 22));
  for (let turn = 0; turn < 100; turn++) {
    const back = new Promise((resolve) => {
      const come = [];
      here.on('message', function take(block) {
        if (come.push(block) < blocks.length) return;
        here.off('message', take);
        resolve(come);
      });
    });
    for (const block of blocks) here.postMessage(block, [block]);
    blocks = await back;
    for (let i = 0; i < 20_000; i++) old[(turn * 20_000 + i) % 30_000] = { i, turn };
  }
  here.close();
  console.log(kept.length);
`;

/** Counts those after the program has said `collected`, if it says so. @param kept what it says at its end */
function fullCollections(program: string, kept: string, flags: readonly string[]): number {
  const node = spawnSync(process.execPath, ['--trace-gc', ...flags, '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(node.stdout).toContain(kept);
  const told = node.stdout.split('collected\n').at(-1);
  return told?.match(/Mark-Compact/g)?.length ?? 0;
}

it.for([
  ['with much garbage', MUCH_GARBAGE, '50000'],
  ['that was collected, while the memory of planes comes back', MEMORY_COMES_BACK, '600000'],
] as const)('a small heap %s is not collected as a whole', ([, program, kept], { skip }) => {
  const flags: string[] = [];
  collectWhenGrown((flag) => flags.push(flag));
  skip(fullCollections(program, kept, []) === 0, 'this Node does not collect such a heap anyway');
  expect(fullCollections(program, kept, flags)).toBe(0);
});
