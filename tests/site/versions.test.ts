/** Several versions of the site beside each other, and what the site refuses; made of a few pages of its own. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launchBrowser } from '../support/browser.js';
import { REPOSITORY } from '../support/cli.js';
import { canShowSite, hasSiteTools } from '../support/docs-site.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();
let count = 0;

/** Writes a repository with these files, and what the site takes from the real one. */
function repository(version: string, files: Record<string, string>): string {
  const root = join(base, `repository-${count++}`);
  const all = { 'packages/server/package.json': JSON.stringify({ version }), ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  for (const name of ['packages/viewer', 'site']) symlinkSync(join(REPOSITORY, name), join(root, name), 'junction');
  return root;
}

const INDEX = '# Documentation\n\n## Tutorial\n\n- [First](first.md)\n';
const build = async (root: string, out: string) => (await import('../../site/build.mjs')).buildSite(root, out);

describe.skipIf(!hasSiteTools)('versions of the site', () => {
  it.skipIf(!canShowSite)('lead to each other, to the same page where there is one', async () => {
    const out = join(base, 'out');
    const second = { 'docs/README.md': `${INDEX}- [Second](second.md)\n`, 'docs/second.md': '# Second\n' };
    await build(repository('0.10.0', { 'docs/README.md': INDEX, 'docs/first.md': '# First\n' }), out);
    await build(repository('0.9.0', { ...second, 'docs/first.md': '# First\n' }), out);
    await build(repository('0.10.0-rc.1', { 'docs/README.md': INDEX, 'docs/first.md': '# First\n' }), out);

    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(out, 'index.html')).href);
    const listed = await page.$$eval('li', (all) => all.map((item) => item.textContent));
    expect(listed).toEqual(['Version 0.10.0 (newest)', 'Version 0.10.0-rc.1', 'Version 0.9.0']);

    await page.click('text=Version 0.9.0');
    await page.waitForSelector('.older');
    expect(await page.textContent('.older')).toBe('This page describes version 0.9.0. The newest is version 0.10.0.');
    await page.click('nav.pages >> text=Second');
    await page.waitForURL(/\/0\.9\.0\/second\.html$/);
    await page.click('.older a');
    await page.waitForURL(/\/0\.10\.0\/index\.html$/);
    expect(await page.isVisible('.older')).toBe(false);
    await page.click('nav.pages >> text=First');
    await page.waitForURL(/\/0\.10\.0\/first\.html$/);
    await page.click('#version summary');
    await page.click('#version >> text="0.9.0"');
    await page.waitForURL(/\/0\.9\.0\/first\.html$/);
    expect(await page.textContent('h1')).toBe('First');
  });

  it('replace what was made of the same version, and nothing else', async () => {
    const out = join(base, 'again');
    const files = { 'docs/README.md': INDEX, 'docs/first.md': '# First\n' };
    await build(
      repository('1.0.0', { ...files, 'docs/README.md': `${INDEX}- [Old](old.md)\n`, 'docs/old.md': '# Old\n' }),
      out,
    );
    await build(repository('1.0.0', files), out);
    expect(existsSync(join(out, '1.0.0', 'old.html'))).toBe(false);

    writeFileSync(join(base, 'mine.txt'), 'mine');
    mkdirSync(join(out, '2.0.0'));
    writeFileSync(join(out, '2.0.0', 'mine.txt'), 'mine');
    const refused = build(repository('2.0.0', files), out);
    await expect(refused).rejects.toThrow(
      /2\.0\.0 has files that npm run docs did not write\. Choose another --out\.$/,
    );
    expect(readFileSync(join(out, '2.0.0', 'mine.txt'), 'utf8')).toBe('mine');
  });
});

describe.skipIf(!hasSiteTools)('the site is refused', () => {
  const first = (text: string) => ({ 'docs/README.md': INDEX, 'docs/first.md': `# First\n\n${text}\n` });

  it.each([
    ['a link to a file that does not exist', first('[x](gone.md)'), 'docs/first.md: gone.md does not exist'],
    ['a link out of the repository', first('[x](../../x)'), 'docs/first.md: ../../x does not exist'],
    [
      'a link to a heading that does not exist',
      first('[x](README.md#gone)'),
      'docs/first.md: README.md#gone has no such heading',
    ],
    ['a picture that does not exist', first('![x](gone.png)'), 'docs/first.md: gone.png does not exist'],
    [
      'a picture of another host',
      first('![x](https://example.org/x.png)'),
      'https://example.org/x.png is a picture of another host',
    ],
    [
      'HTML in a page',
      first('<iframe src="https://example.org"></iframe>'),
      'docs/first.md: HTML is not supported: <iframe',
    ],
    [
      'a page without a heading',
      { 'docs/README.md': INDEX, 'docs/first.md': 'First\n' },
      'docs/first.md: the page must begin',
    ],
    [
      'a page that the index does not list',
      { ...first(''), 'docs/more.md': '# More\n' },
      'docs/README.md does not list docs/more.md',
    ],
  ])('with %s', async (_, files, message) => {
    const out = join(base, `refused-${count}`);
    await expect(build(repository('1.0.0', files), out)).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });
});
