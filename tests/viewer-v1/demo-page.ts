/** The demo of API v1 as it is served, in a real browser, with a picker that chooses what the test says. */
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import type { V1OpenSuccess } from '../../packages/client/src/contract/v1.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { PickRequest, PickResult } from '../../packages/server/src/picker/types.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { launchBrowser } from '../support/browser.js';
import { createServer } from '../support/server.js';
import { ViewerPage } from '../support/viewer-page.js';

export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** Color of the scan path. */
export const PATH_COLOR: Rgba = [0xfb, 0x71, 0x85, 255];

export class DemoServer {
  browser!: Browser;
  server!: RunningServer;
  /** What the user does in the next dialogs. */
  pick: (request: PickRequest) => Promise<PickResult> = async () => ({ status: 'cancelled', reason: 'user' });
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async start(): Promise<void> {
    this.server = await this.serve();
    this.browser = await launchBrowser({ '*.example': '127.0.0.1' });
  }

  serve(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
    return createServer(
      { port: 0, stateDir: this.folder, decodeWorkers: 1, ...options },
      { picker: { pick: (request) => this.pick(request) } },
    );
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await this.server?.close();
  }

  chooses(path: string): void {
    this.pick = async () => ({ status: 'ok', path });
  }

  async open(options: BrowserContextOptions = {}, address = '/demo/', url = this.server.url): Promise<DemoPage> {
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
    const demo = new DemoPage(page, url);
    await page.goto(url + address);
    return demo;
  }
}

export class DemoPage extends ViewerPage {
  /** Loads the page again, which costs less than opening another one. */
  async renew(): Promise<void> {
    await this.page.unrouteAll();
    await this.page.goto(`${this.url}/demo/`);
    this.requests.splice(0);
  }

  get load(): Locator {
    return this.page.getByRole('button', { name: 'Load…' });
  }

  get cancel(): Locator {
    return this.page.getByRole('button', { name: 'Cancel' });
  }

  get alert(): Locator {
    return this.page.getByRole('alert');
  }

  get status(): Locator {
    return this.page.getByRole('status');
  }

  /** Image of a channel: `Calcium`, `Vessels` or `Reference channel 0`. */
  image(name: string): Locator {
    return this.page.getByRole('img', { name: new RegExp(`^${name}\\b`) });
  }

  /** Presses Load, and returns the answer when everything is drawn or refused. */
  async loadFile(): Promise<V1OpenSuccess> {
    const answer = this.page.waitForResponse((response) => response.url().endsWith('/api/v1/pick-and-open'));
    await this.load.click();
    const info = (await (await answer).json()) as V1OpenSuccess;
    await this.settled();
    return info;
  }

  /** Until nothing is loading. */
  async settled(): Promise<void> {
    await this.page.locator('#load:enabled').waitFor();
  }

  /** The numbers below which a sample is black, and above which it has the brightest color. */
  async contrast(name: string): Promise<{ min: number; max: number }> {
    const figure = this.page.locator('figure').filter({ has: this.image(name) });
    const [min, max] = await figure
      .locator('data')
      .evaluateAll((all) => all.map((one) => Number((one as HTMLDataElement).value)));
    return { min: min!, max: max! };
  }

  /** Labels of an axis, from the first to the last. */
  axis(name: 'x' | 'y'): Promise<string[]> {
    return this.page.locator('.plot').first().locator(`.axis.${name} span`).allTextContents();
  }
}

export interface Pixels {
  width: number;
  height: number;
  at(x: number, y: number): Rgba;
}

/** All pixels of a canvas. */
export async function pixelsOf(canvas: Locator): Promise<Pixels> {
  const { width, height, base64 } = await canvas.evaluate(async (element) => {
    const { width, height } = element as HTMLCanvasElement;
    const { data } = (element as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
    const reader = new FileReader();
    const loaded = new Promise((done) => reader.addEventListener('load', done));
    reader.readAsDataURL(new Blob([data]));
    await loaded;
    return { width, height, base64: (reader.result as string).replace(/^.*,/, '') };
  });
  const data = Buffer.from(base64, 'base64');
  const at = (x: number, y: number): Rgba => {
    const [red, green, blue, alpha] = data.subarray(4 * (y * width + x));
    return [red!, green!, blue!, alpha!];
  };
  return { width, height, at };
}

/** The color that a sample must have: gray with a blue tint, from black at `min`. */
export function colorOf(value: number, { min, max }: { min: number; max: number }): Rgba {
  const share = Math.min(1, Math.max(0, (value - min) / (max - min)));
  return [Math.round(190 * share), Math.round(222 * share), Math.round(255 * share), 255];
}

/** A plane as v1 serves it. */
export async function planeOf(url: string, { url: path }: { url: string }): Promise<Float32Array> {
  const response = await fetch(url + path);
  if (!response.ok) throw new Error(await response.text());
  return new Float32Array(await response.arrayBuffer());
}
