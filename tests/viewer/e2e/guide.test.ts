import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readAddress } from '../../../packages/viewer/src/app/address.ts';
import { KEYS } from '../../../packages/viewer/src/app/keys.ts';
import { docBlock, markdownTable } from '../../support/doc-blocks.js';

it('docs/viewer.md lists every key of the page', () => {
  const wanted = KEYS.map(({ title, keys }) => {
    const rows = keys.map(([strokes, meaning]) => [`\`${strokes}\``, meaning]);
    return `\n### ${title}\n\n${markdownTable(['keys', 'do'], rows)}`;
  }).join('');
  expect(docBlock('docs/viewer.md', 'keys', wanted), 'run: UPDATE_DOCS=1 npx vitest run tests/viewer/e2e/guide').toBe(
    wanted,
  );
});

it('docs/viewer.md lists the parts of an address that are read', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/viewer.md'), 'utf8');
  const parts = [...page.matchAll(/^\| `([?#])(\w+)=` \|/gm)].map(([, sign, name]) => [sign, name]);
  const address = { search: '', hash: '#' };
  for (const [sign, name] of parts) {
    if (sign === '?') address.search += `&${name}=x`;
    else address.hash += `&${name}=x`;
  }
  const { brokenView, view: _view, ...read } = readAddress(address);
  expect(brokenView).toBe(true);
  expect(Object.values(read)).toEqual(Object.values(read).map(() => 'x'));
  expect(parts.map(([, name]) => name).sort()).toEqual([...Object.keys(read), 'view'].sort());
});
