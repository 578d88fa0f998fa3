/** The viewer as it is shipped, served by the real command line, in a real browser. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { launchBrowser } from './browser.js';
import { Cli } from './cli.js';

/** No display: the dialog of the system cannot open. */
const NO_DISPLAY = { DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };

export class ViewerPages {
  readonly cli = new Cli();
  url = '';
  browser!: Browser;

  async start(args: string[] = []): Promise<void> {
    ({ url: this.url } = await this.cli.serve(['--log-level', 'warn', ...args], NO_DISPLAY));
    this.browser = await launchBrowser();
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await this.cli.close();
  }

  /** Opens a page with storage of its own. */
  async open(at = '/', options: BrowserContextOptions = {}, url = this.url): Promise<ViewerPage> {
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
    const viewer = new ViewerPage(page, url);
    await page.goto(`${url}${at}`);
    return viewer;
  }
}

export class ViewerPage {
  readonly requests: string[] = [];
  readonly complaints: string[] = [];
  readonly page: Page;
  readonly url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.url = url;
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // What the server refuses is the business of the tests.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
        this.complaints.push(message.text());
      }
    });
  }

  /** Allows what was requested from another server of the same test. */
  forgetRequests(base: string): void {
    this.requests.splice(0, this.requests.length, ...this.requests.filter((url) => !url.startsWith(base)));
  }

  /** Nothing of another site was asked for, and the browser complained of nothing. */
  async end(): Promise<void> {
    const foreign = this.requests.filter((one) => !one.startsWith(`${this.url}/`) && !/^(about|data|blob):/.test(one));
    await this.page.close();
    expect(foreign).toEqual([]);
    expect(this.complaints).toEqual([]);
  }

  async openPath(path: string): Promise<OpenResponse> {
    const answer = this.page.waitForResponse((response) => response.url().endsWith('/api/v2/open'));
    await (await this.pathField()).fill(path);
    await this.page.keyboard.press('Enter');
    return this.loaded(await answer);
  }

  /** The field for a path, which is below the bar while an acquisition is shown. */
  async pathField(): Promise<Locator> {
    await this.page.keyboard.press('Alt+KeyP');
    return this.page.getByLabel('Path of a file or folder');
  }

  /** Names of the tabs, in their order. */
  tabNames(): Promise<string[]> {
    return this.page.locator('[role=tab] .visually-hidden').allTextContents();
  }

  /** Name of the tab that is shown. */
  shownTab(): Promise<string | null> {
    return this.page.locator('[role=tab][aria-selected=true] .visually-hidden').textContent();
  }

  async openSample(): Promise<OpenResponse> {
    const sample = this.page.locator('.app-sample');
    const more = this.page.getByRole('button', { name: 'More ways to open' });
    // The start page has the sample once the server has said where it is.
    await sample.or(more).first().waitFor();
    if (!(await sample.isVisible())) await more.click();
    const answer = this.page.waitForResponse((response) => response.url().endsWith('/api/v2/open'));
    await sample.click();
    return this.loaded(await answer);
  }

  /** All planes have come. */
  private async loaded(response: { json(): Promise<unknown> }): Promise<OpenResponse> {
    const info = (await response.json()) as OpenResponse;
    await this.page.getByRole('tab', { selected: true, name: info.source.name }).waitFor();
    await this.page.locator('.app-task').first().waitFor({ state: 'hidden' });
    return info;
  }

  /** An image for each channel instead of a composite, and the first section instead of the middle one. */
  async asStored(): Promise<void> {
    const channels = this.page.getByRole('button', { name: 'Channels', exact: true });
    if ((await channels.count()) > 0 && (await channels.getAttribute('aria-pressed')) !== 'true')
      await channels.click();
    const section = this.page.locator('.stack-bar input[name=Z]');
    if ((await section.count()) === 0 || (await section.inputValue()) === '1') return;
    await section.fill('1');
    await this.page.keyboard.press('Tab');
    await this.page.locator('[role=tab][aria-selected=true]', { hasText: 'Z 1' }).waitFor();
  }

  /** A control of the menu beside the slider, which is opened for it. */
  async stackSetting(selector: string): Promise<Locator> {
    const control = this.page.locator(`.stack-panel ${selector}`);
    if (!(await control.isVisible())) {
      await this.page.getByRole('button', { name: 'Speed, loop and projection' }).click();
    }
    return control;
  }

  /** Shows single planes of a dimension, or a projection along it; returns when the page does. */
  async project(dim: 'T' | 'Z', method: '' | 'max' | 'mean'): Promise<void> {
    await (await this.stackSetting(`select[name=projection-${dim}]`)).selectOption(method);
    await this.page.keyboard.press('Escape');
    const { page } = this;
    const planes = dim === 'Z' ? 'sections' : 'time points';
    const shown =
      method === ''
        ? page.locator(`.stack-bar input[name=${dim}]`)
        : page.locator('.stack-projected', {
            hasText: new RegExp(`${method === 'max' ? 'Maximum' : 'Mean'} of [\\d,]+ ${planes}`),
          });
    await shown.first().waitFor();
  }

  /** Opens a kymograph of the chosen line. */
  async openKymograph(): Promise<void> {
    await (await this.stackSetting('.stack-kymograph button')).click();
  }

  /** Sets a switch of the menu View, or returns how it is. */
  async viewSwitch(name: string, act: 'toggle' | 'read' = 'toggle'): Promise<boolean> {
    await this.page.getByRole('button', { name: 'View', exact: true }).click();
    const item = this.page.getByRole('menuitemcheckbox', { name, exact: true });
    const before = (await item.getAttribute('aria-checked')) === 'true';
    if (act === 'toggle') await item.click();
    await this.page.keyboard.press('Escape');
    return act === 'toggle' ? !before : before;
  }

  /** What the images are, in words. */
  images(): Promise<(string | null)[]> {
    return this.page
      .locator('[role=application]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  }

  errorCode(): Promise<string | null> {
    return this.page.locator('.app-notice-error .app-notice-details code').textContent();
  }

  /** Words of the table of facts. */
  async facts(): Promise<string> {
    return (await this.page.locator('.app-facts').allInnerTexts()).join('\n').replaceAll('\t', ' ');
  }

  async sessionStatus(id: string): Promise<number> {
    return (await fetch(`${this.url}/api/v2/sessions/${id}`)).status;
  }
}
