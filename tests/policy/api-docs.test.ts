import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_STATUS } from '../../src/errors.js';
import { docBlock, markdownTable } from '../support/doc-blocks.js';
import { REPOSITORY, testApp } from '../support/test-app.js';

/** Cells of the table between the two comments of a page, without its head. */
function tableOf(page: string, name: string): string[][] {
  const text = readFileSync(resolve(REPOSITORY, 'docs', page), 'utf8');
  const block = text.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
  const rows = block.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

it('docs/errors.md lists every code with its status, in the order of the table', () => {
  const rows = tableOf('errors.md', 'errors');
  expect(rows.map(([code, status]) => [code, Number(status)])).toEqual(Object.entries(ERROR_STATUS));
  for (const [code, , when] of rows) expect(when, code).toMatch(/\S/);
});

it('docs/api.md lists every operation of the OpenAPI document, by its summary', async () => {
  const { ask } = await testApp();
  const { paths } = (await ask('GET', '/openapi.json')).json() as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => [method.toUpperCase(), `\`${path}\``, summary]),
  );
  const wanted = markdownTable(['method', 'address', 'does'], rows);
  expect(docBlock('docs/api.md', 'operations', wanted), 'run: UPDATE_DOCS=1 npx vitest run tests/policy').toBe(wanted);
});
