import { expect, it } from 'vitest';
import { LastOpened, LastUsed } from '../../packages/readers/src/base/last-used.js';

it('keeps the sixteen values that were used last', () => {
  const made: string[] = [];
  const values = new LastUsed<string>();
  const get = (name: string) => values.get(name, () => made[made.push(name) - 1]!);
  for (let i = 0; i < 16; i++) get(`${i}`);
  get('0');
  get('16');
  expect([get('0'), get('2'), made.length]).toEqual(['0', '2', 17]);
  // Used longest ago.
  get('1');
  expect(made.length).toBe(18);
});

it('opens again what could not be opened, and nothing twice at once', async () => {
  const opened = new LastOpened<number>();
  let tries = 0;
  const open = () =>
    opened.open('a', async () => {
      tries++;
      if (tries === 1) throw new Error('missing for a moment');
      return tries;
    });
  const both = await Promise.allSettled([open(), open()]);
  expect([both.map(({ status }) => status), tries]).toEqual([['rejected', 'rejected'], 1]);
  expect([await open(), await open()]).toEqual([2, 2]);
});
