import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';

/** Its programs in Python are run by `python/tests/test_docs.py`. */
const page = readFileSync(join(REPOSITORY, 'docs/tutorial.md'), 'utf8');
const block = (language: string, containing: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, text]) => text as string)
    .find((text) => text.includes(containing));
const cli = new Cli();
afterAll(() => cli.close());

it('the tutorial shows what inspect prints about the sample', async () => {
  const { stdout } = await cli.run(['inspect', SAMPLE]);
  expect(stdout.replace(dirname(dirname(SAMPLE)), '/home/you/acquisition-store')).toBe(block('text', 'recorded'));
});
