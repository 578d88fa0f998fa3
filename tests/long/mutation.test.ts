import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutate, printOutcome } from '../../scripts/mutate.mjs';
import { REPOSITORY } from '../support/cli.js';

const GUIDE = readFileSync(join(REPOSITORY, 'CONTRIBUTING.md'), 'utf8');
const [, noticed, count] = /of which the tests notice (\d+) of (\d+)/.exec(GUIDE) ?? [];

it('the tests notice as many small faults in the sources as the guide says', { timeout: 3 * 3_600_000 }, async () => {
  const { tried, survivors } = await mutate({ seed: '1', count: Number(count) }, printOutcome);
  expect(tried).toBe(Number(count));
  const places = survivors.map(({ file, line, id }) => `${file}:${line} ${id}`);
  expect(tried - survivors.length, places.join('\n')).toBeGreaterThanOrEqual(Number(noticed));
});
