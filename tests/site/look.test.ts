/** Who can use the site of the docs: contrast, names and targets, phones, and the theme. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../support/axe.js';
import { canShowSite, type DocsSite, makeDocsSite } from '../support/docs-site.js';
import { tempFolder } from '../support/temp.js';

describe.skipIf(!canShowSite)('the site of the docs', () => {
  const out = tempFolder();
  let site: DocsSite;
  beforeAll(async () => {
    site = await makeDocsSite(out);
  });
  afterAll(() => site?.close());

  it.each([
    ['../index.html', false],
    ['index.html', false],
    ['tutorial.html', true],
    ['tutorial.html', false],
    ['cli.html', false],
    ['recipes.html', true],
    ['formats/tiff.html', true],
    ['repository/deploy/index.html', false],
    ['repository/deploy/haproxy.cfg.html', true],
  ])('has no barrier that axe finds: %s (dark: %s)', async (name, dark) => {
    await site.open(name, { dark });
    expect(await complaints(site.page)).toEqual([]);
    await site.open(name, { dark, width: 390 });
    expect(await complaints(site.page)).toEqual([]);
  });

  it('has none in the results of a search', async () => {
    for (const dark of [true, false]) {
      await site.open('index.html', { dark });
      await site.page.keyboard.press('/');
      await site.page.keyboard.type('line period');
      await site.page.waitForSelector('.results a');
      await site.page.keyboard.press('ArrowDown');
      expect(await complaints(site.page)).toEqual([]);
    }
  });

  it('has its pages behind a button on a phone', async () => {
    const { page, address } = site;
    await site.open('recipes.html', { width: 390 });
    expect(await page.isVisible('nav.pages')).toBe(false);
    await page.click('#menu');
    expect(await page.isVisible('nav.pages >> text=Recipes for line scans')).toBe(true);
    expect(await complaints(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('nav.pages')).toBe(false);
    await page.keyboard.press('Enter');
    await page.click('nav.pages >> text=Tutorial');
    await page.click('nav.pages >> text=From a file to a figure');
    await page.waitForURL(`${address}tutorial.html`);
  });

  it.each(['index.html', 'cli.html', 'formats/tiff.html', 'benchmarks.html', 'repository/deploy/grafana.json.html'])(
    'is never wider than the window: %s',
    async (name) => {
      for (const width of [320, 390, 800, 1280]) {
        await site.open(name, { width });
        const over = await site.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect(over, `${width} px`).toBe(0);
      }
    },
  );

  it('remembers the theme that was chosen', async () => {
    const { page } = site;
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await site.open('tutorial.html');
    const light = await ground();
    await page.click('#theme');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await site.open('cli.html');
    expect(await ground()).toBe(dark);
    await page.click('#theme');
    expect(await ground()).toBe(light);
  });

  it('has no errors', () => {
    expect(site.foreign).toEqual([]);
    expect(site.errors).toEqual([]);
  });
});
