import { expect, it } from 'vitest';
import { HOST, testApp, testDependencies } from '../support/test-app.js';

it.each([
  ['a program', {}, 'programs'],
  ['a page of another program', { origin: 'http://localhost:5173' }, 'pages of http://localhost:5173'],
  ['a page of this server', { origin: `http://${HOST}` }, 'pages of this server'],
  ['a page of this server that gets something', { 'sec-fetch-site': 'same-origin' }, 'pages of this server'],
])('%s takes turns with its like', async (_, headers, party) => {
  const seen: unknown[] = [];
  const { files } = testDependencies();
  const list: typeof files.list = (path, signal, browsing) => {
    seen.push(browsing?.who);
    return files.list(path, signal);
  };
  const { ask } = await testApp({}, { files: { ...files, list } });
  expect((await ask('GET', '/api/v2/folders', { headers })).statusCode).toBe(200);
  expect(seen).toEqual([{ party, session: '' }]);
});
