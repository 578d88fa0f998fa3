import { expect, it } from 'vitest';
import { collectFiles } from '../../packages/server/src/cli/batch-files.js';
import { toChoice, toFormatOptions } from '../../packages/server/src/cli/export-choice.js';
import { EXPORT_FORMATS } from '../../packages/server/src/export/index.js';

const format = (id: string) => EXPORT_FORMATS.find((candidate) => candidate.id === id)!;

it('takes ranges that end before their last index, and single indices', () => {
  expect(toChoice({ to: 'npy', time: '2:5', z: '3', scene: 1 }, format('npy'))).toEqual({
    scene: 1,
    time: { start: 2, end: 5 },
    z: { start: 3, end: 4 },
  });
  expect(toFormatOptions({ to: 'png', window: '-5:1e3' }, format('png'))).toEqual({ window: { start: -5, end: 1000 } });
});

it.each(['4:2', '3:3', '-1', '1:', 'a', '1:2:3', ''])('refuses the range "%s"', (time) => {
  expect(() => toChoice({ to: 'npy', time }, format('npy'))).toThrow(`--time: "${time}" is not a range`);
});

it.each(['5', '5:5', '5:1', ':', '0:', '0:x', '0:1:2', '0:Infinity'])('refuses the window "%s"', (window) => {
  expect(() => toFormatOptions({ to: 'png', window }, format('png'))).toThrow(`--window: "${window}" is not a window`);
});

it('refuses options of another format', () => {
  expect(() => toFormatOptions({ to: 'npy', window: '0:1' }, format('npy'))).toThrow('--window is for --to png');
  expect(() => toChoice({ to: 'csv', z: '2:4' }, format('csv'))).toThrow('--z: csv holds one plane. Give one index');
});

it('refuses a shard that does not exist, and a command without files', async () => {
  await expect(collectFiles(['/a'], { shard: '3/3' })).rejects.toThrow('--shard: "3/3" is not a shard');
  await expect(collectFiles([], {})).rejects.toThrow("missing required argument 'path'");
});
