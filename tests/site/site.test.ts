/** The site of the docs in a browser: its pages, links and search. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { canShowSite, type DocsSite, makeDocsSite, version } from '../support/docs-site.js';
import { filesBelow } from '../support/page-host.js';
import { tempFolder } from '../support/temp.js';

const read = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');

/** What a page has, as a browser parses it. */
interface ParsedPage {
  address: string;
  links: string[];
  ids: string[];
  code: string[];
  /** Links in the text, as they are written. */
  written: string[];
}

/** Runs in a page: reads pages of its host, and those that they link to, and so on. */
const CRAWL = `async (start) => {
  const waiting = [start];
  const found = new Map();
  while (waiting.length > 0) {
    const address = waiting.shift();
    if (found.has(address)) continue;
    const response = await fetch(address);
    if (!response.ok) throw new Error(address + ': ' + response.status);
    const isPage = response.headers.get('content-type').startsWith('text/html');
    const parsed = new DOMParser().parseFromString(isPage ? await response.text() : '', 'text/html');
    const all = (selector, name) => [...parsed.querySelectorAll(selector)].map((one) => new URL(one.getAttribute(name), address).href);
    const links = all('a, link', 'href');
    const ids = [...parsed.querySelectorAll('[id]')].map(({ id }) => id);
    const code = [...parsed.querySelectorAll('pre')].map(({ textContent }) => textContent);
    const written = [...parsed.querySelectorAll('article a:not(.anchor)')].map((link) => link.getAttribute('href'));
    found.set(address, { address, links, ids, code, written });
    const more = [...links, ...all('img, script', 'src')].map((link) => link.split('#')[0]);
    waiting.push(...more.filter((link) => new URL(link).origin === location.origin));
  }
  return [...found.values()];
}`;

/** The code in a page of Markdown: what is between fences, without the indentation of a list that it is in. */
function fencedCode(text: string): string[] {
  return [...text.matchAll(/^( *)(```|~~~)[^\n`]*\n([\s\S]*?)^\1\2$/gm)].map(([, indent = '', , code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The links in a page of Markdown: whole those to the web, and of the others the heading that they lead to. */
function linkedHeadings(text: string): string[] {
  const prose = text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/(?<!!\[[^\]]*)\]\(([^)\s]+)\)/g)].map(([, link = '']) => toHeading(link));
}

const toHeading = (link: string) => (/^https?:/.test(link) ? link : (link.split('#')[1] ?? ''));

/** Returns a word that one page has, and no other. */
function rareWord(page: string): string {
  const pages = readdirSync(join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  const others = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', ...pages]
    .filter((name) => name !== page)
    .map((name) => read(name).toLowerCase());
  const words =
    read(page)
      .toLowerCase()
      .match(/\b[a-z]{9,}\b/g) ?? [];
  return words.find((word) => others.every((text) => !text.includes(word))) as string;
}

describe.skipIf(!canShowSite)('the site of the docs', () => {
  const out = tempFolder();
  let site: DocsSite;
  beforeAll(async () => {
    site = await makeDocsSite(out);
  });
  afterAll(() => site?.close());

  it('is made by npm run docs, in the folder of its version', () => {
    expect(site.printed).toMatch(new RegExp(`^The docs of version ${version}, \\d+ pages, are in .*${version}\\.\\n`));
  });

  it('has every page of the index, in its order and under its headings', async () => {
    await site.open('tutorial.html');
    const listed = read('docs/README.md')
      .split(/^## /m)
      .slice(1)
      .map((part) => ({
        heading: part.split('\n')[0],
        pages: [...part.matchAll(/\]\((.*?)\.md\)/g)].map(([, name]) => `${name}.html`),
      }));
    expect(listed.length).toBeGreaterThan(4);
    const shown = await site.page.$$eval('nav.pages details', (all) =>
      all.map((one) => ({
        heading: one.querySelector('summary')?.textContent,
        pages: [...one.querySelectorAll('a')].map((link) => link.getAttribute('href')),
      })),
    );
    expect(shown).toEqual(listed);
  });

  it('shows on every page the steps from the tutorial to the reference, and which of them the page belongs to', async () => {
    const { page, address } = site;
    const steps = () => page.$$eval('.steps a', (all) => all.map((link) => [link.textContent, link.ariaCurrent]));
    await site.open('tutorial.html');
    expect(await steps()).toEqual([
      ['Tutorial', 'step'],
      ['Recipes', null],
      ['Reference', null],
    ]);
    await page.click('.steps >> text=Recipes');
    await page.waitForURL(`${address}recipes.html`);
    expect((await steps())[1]).toEqual(['Recipes', 'step']);
    await page.click('.steps >> text=Reference');
    await page.waitForURL(`${address}index.html#reference`);
    await site.open('cli.html');
    expect((await steps())[2]).toEqual(['Reference', 'step']);
  });

  it('has no link, picture or heading that is missing, and no file that nothing leads to', async () => {
    // The list of the versions: the policy of the pages themselves lets them fetch nothing.
    await site.open('../index.html');
    const top = site.page.url().slice(0, -'index.html'.length);
    const crawled = (await site.page.evaluate(`(${CRAWL})(location.href)`)) as ParsedPage[];
    const pages = new Map(crawled.map((one) => [one.address, one]));
    expect(pages.size).toBeGreaterThan(100);
    const anchors = crawled.flatMap(({ address, links }) => links.map((link) => ({ address, link })));
    const broken = anchors.filter(({ link }) => {
      const [target = '', anchor] = link.split('#');
      return target.startsWith(top) && anchor !== undefined && !pages.get(target)?.ids.includes(decodeURI(anchor));
    });
    expect(broken).toEqual([]);
    const reached = [...pages.keys()].map((address) => address.slice(top.length));
    const loaded = [`${version}/search-data.js`, `${version}/version.json`];
    const files = filesBelow(out).map((file) => file.slice(out.length + 1).replaceAll('\\', '/'));
    expect([...reached, ...loaded].sort()).toEqual(files.sort());

    const checked = crawled.filter(({ address, code, written }) => {
      const name = posix.join('docs', address.slice(site.address.length).replace(/\.html$/, '.md'));
      if (!address.startsWith(site.address) || !name.endsWith('.md') || !existsSync(join(REPOSITORY, name)))
        return false;
      expect(code, name).toEqual(fencedCode(read(name)));
      expect(written.map(toHeading), name).toEqual(linkedHeadings(read(name)));
      return true;
    });
    expect(checked.length).toBeGreaterThan(80);
  });

  it('shows files of the repository that pages link to, and saves them as they are', async () => {
    const { page, address } = site;
    await site.open('scale-out.html');
    await page.click('article >> text=haproxy.cfg');
    await page.waitForURL(`${address}repository/deploy/haproxy.cfg.html`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Save file')]);
    expect(download.suggestedFilename()).toBe('haproxy.cfg');
    expect(readFileSync(await download.path(), 'utf8')).toBe(read('deploy/haproxy.cfg'));
  });

  describe('finds a word that one page has', () => {
    const word = rareWord('docs/formats/mrc.md');
    const find = async () => {
      await site.page.keyboard.press('/');
      await site.page.keyboard.type(word);
      await site.page.waitForSelector('.results a');
    };

    it('by keyboard', async () => {
      const { page, address } = site;
      await site.open('how-to/share.html');
      await find();
      const found = await page.$$eval('.results a', (all) => all.map((link) => (link as HTMLAnchorElement).href));
      expect(found.filter((link) => !link.startsWith(`${address}formats/mrc.html`))).toEqual([]);
      expect((await page.textContent('.results mark'))?.toLowerCase()).toBe(word);
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.href')).toBe(found[0]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${address}formats/mrc.html*`);
      expect((await page.innerText('main')).toLowerCase()).toContain(word);
    });

    it('with Enter at once, and is left with Escape', async () => {
      const { page, address } = site;
      await site.open('index.html');
      await page.keyboard.press('Control+k');
      await page.keyboard.type(word);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${address}formats/mrc.html*`);
      await find();
      await page.keyboard.press('Escape');
      expect(await page.isVisible('.results')).toBe(false);
      await page.keyboard.type('xyzzyx');
      await expect.poll(() => page.innerText('.count')).toBe('Nothing found. Try fewer or other words.');
    });

    it('in pages that are opened from the disk', async () => {
      const folder = pathToFileURL(join(out, version)).href;
      await site.page.goto(`${folder}/index.html`);
      await find();
      await site.page.keyboard.press('Enter');
      await site.page.waitForURL(`${folder}/formats/mrc.html*`);
      expect(await site.page.evaluate('getComputedStyle(document.body).display')).toBe('grid');
    });
  });

  it('finds sections by all words of a question that matter, those of the index before the changelog', async () => {
    const { page, address } = site;
    await site.open('index.html');
    await page.keyboard.press('/');
    await page.keyboard.type('where is the time in a line scan');
    await expect.poll(() => page.$$('.results a')).not.toEqual([]);
    const found = await page.$$eval('.results a', (all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(found[0]).toBe(`${address}faq.html#where-is-time-in-a-line-scan`);
    const changelog = found.findIndex((link) => link.includes('/CHANGELOG.html'));
    expect(changelog === -1 || changelog > 3).toBe(true);
    await page.press('.search input', 'Enter');
    await page.waitForURL(found[0] as string);
    const top = await page
      .locator('#where-is-time-in-a-line-scan')
      .evaluate((heading) => heading.getBoundingClientRect().top);
    // Below the bar, which stays at the top.
    expect(top).toBeGreaterThan(50);
    expect(top).toBeLessThan(300);
  });

  it('asks no other host, and has no errors', () => {
    expect(site.foreign).toEqual([]);
    expect(site.errors).toEqual([]);
  });
});
