/** The contract in one page, for those who write programs with an assistant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { docBlock } from '../support/doc-blocks.js';

const TEXT = readFileSync(join(REPOSITORY, 'packages/viewer/docs/llms.txt'), 'utf8');

it('docs/for-assistants.md shows the page', () => {
  const wanted = `~~~markdown\n${TEXT}~~~\n`;
  expect(docBlock('docs/for-assistants.md', 'llms', wanted), 'run: UPDATE_DOCS=1 npx vitest run tests/policy').toBe(
    wanted,
  );
});

it('it fits in a chat', () => {
  expect(TEXT.length).toBeLessThan(8_000);
});

it('the template for pages has at most 150 lines, and needs no other file', () => {
  const page = readFileSync(join(REPOSITORY, 'examples/analysis-template.html'), 'utf8');
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(page).not.toMatch(/\bimport\b|src=|href=/);
});
