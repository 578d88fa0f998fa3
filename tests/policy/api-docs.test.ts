import { expect, it } from 'vitest';
import { ERROR_MEANING } from '../../packages/client/src/contract/error.js';
import { ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import { docBlock, markdownTable } from '../support/doc-blocks.js';
import { testApp } from '../support/test-app.js';

const STALE = 'run: UPDATE_DOCS=1 npx vitest run tests/policy';

it('docs/errors.md lists every code with its status and meaning, in the order of the table', () => {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  const rows = codes.map((code) => [`\`${code}\``, String(ERROR_STATUS[code]), ERROR_MEANING[code]]);
  const wanted = markdownTable(['code', 'status', 'meaning'], rows);
  expect(docBlock('docs/errors.md', 'errors', wanted), STALE).toBe(wanted);
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
  expect(docBlock('docs/api.md', 'operations', wanted), STALE).toBe(wanted);
});
