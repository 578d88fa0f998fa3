/** How many tab stops the page has, and that the arrow keys reach everything between them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { complaints } from '../../support/axe.js';
import { chromiumPath } from '../../support/browser.js';
import { SAMPLE } from '../../support/cli.js';
import { tempFolder } from '../../support/temp.js';
import { steady } from '../../support/viewer-image.js';
import { type ViewerPage, ViewerPages } from '../../support/viewer-page.js';
import { multiChannels, rampStackFile } from './files.js';

const available = chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM: tab stops of the viewer were not tested');

const folder = tempFolder();
/** Three channels, time points and sections. */
const STACK = multiChannels(folder)[0]![1];
/** Tabs from the start of the page to a picture, and of the whole page. */
const [MAX_TO_PICTURE, MAX_STOPS] = [7, 25];

describe.runIf(available)('viewer: tab stops', () => {
  const pages = new ViewerPages();
  let viewer: ViewerPage;
  beforeAll(() => pages.start());
  afterAll(() => pages.close());
  afterEach(() => viewer.end());

  async function open(...paths: string[]): Promise<Page> {
    viewer = await pages.open('/', { viewport: { width: 1280, height: 800 } });
    for (const path of paths) await viewer.openPath(path);
    await steady(viewer.page);
    await fromStart();
    return viewer.page;
  }

  /** The next Tab goes to the first stop. */
  async function fromStart(): Promise<void> {
    await viewer.page.evaluate(() => {
      const first = document.createElement('span');
      first.tabIndex = -1;
      document.body.prepend(first);
      first.focus();
      first.remove();
    });
  }

  /** Marks what has the focus as reached; returns its role and name, or nothing at the end of the page. */
  const here = () =>
    viewer.page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return null;
      const isNew = element.dataset['reached'] === undefined;
      element.dataset['reached'] = '';
      const role = element.getAttribute('role') ?? element.tagName.toLowerCase();
      return { isNew, role, name: `${element.getAttribute('aria-label') ?? element.innerText}`.trim() };
    });

  /** Presses Tab through the page, and calls `visit` at each stop. */
  async function walk(
    visit: (stop: { role: string; name: string }) => Promise<void> = async () => {},
  ): Promise<string[]> {
    const stops: string[] = [];
    for (let i = 0; i < 150; i++) {
      await viewer.page.keyboard.press('Tab');
      const stop = await here();
      if (stop === null) return stops;
      stops.push(`${stop.role} ${stop.name}`);
      await visit(stop);
    }
    throw new Error(`no end: ${stops.join(' | ')}`);
  }

  /** Goes through the group of the focused stop with arrow keys, and back to where it began. */
  async function through(key: string): Promise<void> {
    for (let i = 0; i < 40; i++) {
      await viewer.page.keyboard.press(key);
      const stop = await here();
      if (stop === null || !stop.isNew) return;
    }
  }

  /** Visible controls that were not reached. */
  const unreached = () =>
    viewer.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, input, select, textarea, summary, a[href], [tabindex]')]
        .filter(
          (one) =>
            one.dataset['reached'] === undefined && one.checkVisibility() && !(one as HTMLButtonElement).disabled,
        )
        // The arrow keys show another tab, and Delete closes it in place of its cross.
        .filter((one) => one.getAttribute('role') !== 'tab')
        .filter((one) => one.closest('[aria-hidden="true"]') === null)
        .map((one) => one.outerHTML.slice(0, 120)),
    );

  /** Everything that a key reaches, from the first stop to the last. */
  async function reachAll(): Promise<void> {
    const { page } = viewer;
    await walk(async ({ role }) => {
      const group = await page.evaluate(
        () =>
          document.activeElement?.closest('[role=toolbar], .channel-cards, .plot-legend, .stack-lanes')?.className ??
          '',
      );
      if (role === 'summary') {
        // Tab goes on within the section once the arrow has entered it.
        await page.keyboard.press('ArrowDown');
        const inner = await here();
        if (inner === null || inner.role === 'summary') return;
        for (let i = 0; i < 60; i++) {
          await page.keyboard.press('Tab');
          const isInside = await page.evaluate(() => document.activeElement?.closest('.app-section-body') !== null);
          if (!isInside) break;
          await here();
        }
        await page.keyboard.press('Shift+Tab');
      } else if (group !== '') await through('ArrowRight');
    });
    expect(await unreached()).toEqual([]);
  }

  it('are few before the picture of a stack and in the whole page, and keys reach every control', async () => {
    const page = await open(rampStackFile(folder), STACK);
    const stops = await walk();
    expect(stops.findIndex((stop) => stop.startsWith('application')) + 1).toBeLessThanOrEqual(MAX_TO_PICTURE);
    expect(stops.findIndex((stop) => stop.startsWith('application'))).toBeGreaterThan(0);
    expect(stops.length, stops.join('\n')).toBeLessThanOrEqual(MAX_STOPS);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll<HTMLElement>('[data-reached]')) delete one.dataset['reached'];
    });
    await fromStart();
    await reachAll();
    expect(await complaints(page)).toEqual([]);
  });

  it('are few beside traces in lanes and on a line scan with its strips', async () => {
    const page = await open(STACK);
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: '+ Region' }).click();
    await page.getByRole('button', { name: 'Trace' }).click();
    await expect.poll(() => page.locator('.stack-lane').count()).toBe(3);
    await fromStart();
    const stops = await walk();
    expect(stops.length, stops.join('\n')).toBeLessThanOrEqual(MAX_STOPS);
    await viewer.openPath(SAMPLE);
    await steady(page);
    await page.getByRole('button', { name: 'Velocity' }).click();
    await page.getByText(/^median /).waitFor();
    await fromStart();
    const strips = await walk();
    expect(strips.length, strips.join('\n')).toBeLessThanOrEqual(MAX_STOPS + 5);
    expect(strips.findIndex((stop) => stop.startsWith('application')) + 1).toBeLessThanOrEqual(MAX_TO_PICTURE);
  });

  it('go into a section by the arrow down, on by Tab, back by the arrow up, and out at its end', async () => {
    const page = await open(STACK);
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim(),
      );
    const heading = page.locator('summary', { hasText: 'Channels and contrast' });
    await heading.focus();
    await page.keyboard.press('ArrowDown');
    const first = await page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent);
    expect(first).toBe('Log counts');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Channels and contrast');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Measure');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Channels and contrast');
    // A field keeps its arrow keys; Tab goes on from it.
    await page.keyboard.press('ArrowDown');
    const smoothing = page.getByLabel('Smoothing of the images');
    for (let i = 0; i < 5 && !(await smoothing.evaluate((one) => one === document.activeElement)); i++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await smoothing.inputValue()).toBe('median');
    expect(await smoothing.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(/^Line phase in samples/);
    // A click enters a section, too.
    await page.getByRole('slider', { name: 'Minimum of Calcium' }).focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Maximum of Calcium');
    await heading.press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Channels and contrast');
  });
});
