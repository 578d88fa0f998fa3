/** What a card of the viewer shows: its pixels, at places of the plane, and the numbers that it tells. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { OpenResponse, Plane } from '../../packages/client/src/contract/open.js';
import { lutTable } from '../../packages/viewer/src/luts/luts.ts';

export type Rgb = readonly [number, number, number];

/** How the plane lies. */
export interface Lie {
  transposed: boolean;
  upward: boolean;
  /** Samples are square, with room beside them; else the plane fills its card. */
  square: boolean;
}
/** As line scans begin: time to the right, the first pixel at the bottom. */
export const LYING: Lie = { transposed: true, upward: true, square: false };
/** As images begin. */
export const STORED: Lie = { transposed: false, upward: false, square: true };

/** Part of the plane that a card shows, in samples. */
export interface Seen {
  rows: readonly [from: number, to: number];
  columns: readonly [from: number, to: number];
}

const PER_UNIT: Record<string, number> = { s: 1, ms: 1e-3, µs: 1e-6, mm: 1e3, µm: 1, nm: 1e-3 };

/** One card of a pane, with the plane that it shows. */
export class CardImage {
  readonly stage: Locator;
  private readonly page: Page;
  private readonly plane: Plane;
  private readonly lie: Lie;
  private readonly key: string;
  private readonly kind: 'Source' | 'Reference';

  constructor(page: Page, kind: 'Source' | 'Reference', key: string, plane: Plane, lie: Lie) {
    this.page = page;
    this.kind = kind;
    this.key = key;
    this.plane = plane;
    this.lie = lie;
    this.stage = this.figure.getByRole('application');
  }

  get figure(): Locator {
    return this.page.getByRole('region', { name: `${this.kind} image` }).locator(`[data-card="${this.key}"]`);
  }

  get canvas(): Locator {
    return this.figure.locator('canvas.image-canvas');
  }

  turned(lie: Lie): CardImage {
    return new CardImage(this.page, this.kind, this.key, this.plane, lie);
  }

  /** From the words that the card says to those who do not see its axes. */
  async seen(): Promise<Seen> {
    const shown = (await this.figure.locator('.image-extent').textContent()) ?? '';
    const text = shown.replaceAll(',', '').replaceAll('−', '-');
    const [across = '', down = ''] = text.split('; ');
    const [rows, columns] = this.lie.transposed ? [across, down] : [down, across];
    return { rows: this.samples(rows, 0), columns: this.samples(columns, 1) };
  }

  /** `time (ms) 1.17 to 11.7` in samples; an axis without calibration counts from the middle of its first. */
  private samples(text: string, dimension: 0 | 1): [number, number] {
    const match = /^.*?(?:\((\S+)\))? (-?[\d.e+-]+) to (-?[\d.e+-]+)$/.exec(text);
    if (!match) throw new Error(`not an extent: ${text}`);
    const [, unit, from, to] = match;
    if (unit === undefined) return [Number(from) + 0.5, Number(to) + 0.5];
    const step = this.plane.axes[dimension]?.step as number;
    const samples = (value: string | undefined) => (Number(value) * (PER_UNIT[unit] as number)) / step;
    return [samples(from), samples(to)];
  }

  /** Where on the canvas a place of the plane lies, as fractions. The middle of the first sample is at 0.5, 0.5. */
  async place(row: number, column: number): Promise<readonly [number, number]> {
    const { rows, columns } = await this.seen();
    const { width, height } = await this.size();
    const { transposed, upward, square } = this.lie;
    const [x, y] = transposed ? [rows, columns] : [columns, rows];
    const [atX, atY] = transposed ? [row, column] : [column, row];
    const perPixel = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const share = (at: number, [from, to]: readonly [number, number], pixels: number) => {
      const length = square ? perPixel * pixels : to - from;
      return (at - (from + to) / 2) / length + 0.5;
    };
    const down = share(atY, y, height);
    return [share(atX, x, width), upward ? 1 - down : down];
  }

  /** The same on the page, CSS pixels. */
  async point(row: number, column: number): Promise<{ x: number; y: number }> {
    const [x, y] = await this.place(row, column);
    const box = await this.canvas.boundingBox();
    if (!box) throw new Error('the card is not on screen');
    return { x: box.x + x * box.width, y: box.y + y * box.height };
  }

  /** Color of the canvas there. */
  async color(row: number, column: number): Promise<Rgb> {
    return this.colorAt(...(await this.place(row, column)));
  }

  /** At fractions of its width and height. */
  async colorAt(x: number, y: number): Promise<Rgb> {
    const [color] = await this.colors([[x, y]]);
    return color as Rgb;
  }

  colors(places: (readonly [number, number])[]): Promise<Rgb[]> {
    return this.canvas.evaluate((element, fractions) => {
      const canvas = element as HTMLCanvasElement;
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return fractions.map(([x, y]) => {
        const at = 4 * (Math.floor(y * height) * width + Math.floor(x * width));
        return [data[at] as number, data[at + 1] as number, data[at + 2] as number] as const;
      });
    }, places);
  }

  /** Size in device pixels. */
  size(): Promise<{ width: number; height: number }> {
    return this.canvas.evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      return { width, height };
    });
  }

  /** Does what `act` does and waits until the card shows another part. */
  async changes(act: () => Promise<void>): Promise<Seen> {
    const extent = this.figure.locator('.image-extent');
    const before = await extent.textContent();
    await act();
    await expect.poll(() => extent.textContent()).not.toBe(before);
    await frames(this.page);
    return this.seen();
  }
}

/** Until what was changed has been painted. */
export async function frames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

const DRAW_TIMEOUT_MS = 2_000;

/** Until the pictures of all cards are drawn and stay as they are. */
export async function steady(page: Page): Promise<void> {
  const sum = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLCanvasElement>('canvas.image-canvas')]
        .map((canvas) => {
          const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
          let hash = 0;
          let isBlank = true;
          for (let i = 0; i < data.length; i += 4) {
            hash = (hash * 31 + (data[i] as number) + (data[i + 1] as number)) | 0;
            isBlank &&= data[i] === data[0] && data[i + 1] === data[1];
          }
          return isBlank ? 'blank' : hash;
        })
        .join(),
    );
  await page.getByText('Counting all samples').first().waitFor({ state: 'hidden' });
  await page.locator('.contrast-panel[aria-busy="true"]').waitFor({ state: 'detached' });
  // A picture of one color looks like one that is not drawn yet.
  const drawnBy = performance.now() + DRAW_TIMEOUT_MS;
  for (let before = ''; ; ) {
    await frames(page);
    await page.waitForTimeout(40);
    const now = await sum();
    const isDrawn = !now.includes('blank') || performance.now() > drawnBy;
    // There is no picture yet after a reload.
    if (now !== '' && now === before && isDrawn) return;
    before = now;
  }
}

export interface Display {
  min: number;
  max: number;
  gamma: number;
  lut: string;
  invert: boolean;
}

/** Opens the panel of a channel, which closes that of another. */
export async function openContrast(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name: `Contrast of ${name}`, exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

/** What the contrast panel says of a channel, which is opened. */
export async function displayOf(page: Page, name: string): Promise<Display> {
  await openContrast(page, name);
  const number = async (label: string) => Number(await page.getByLabel(label, { exact: true }).inputValue());
  return {
    min: await number(`Minimum value of ${name}`),
    max: await number(`Maximum value of ${name}`),
    gamma: await number(`Gamma of ${name}`),
    lut: await page.getByLabel(`Colors of ${name}`, { exact: true }).inputValue(),
    invert: await page.getByLabel(`Invert ${name}`, { exact: true }).isChecked(),
  };
}

/** The color that a value has to have: the table at round(255 · share^gamma). */
export function colorOf(value: number, { min, max, gamma, lut, invert }: Display): Rgb {
  const share = Math.min(1, Math.max(0, (value - min) / (max - min)));
  const at = 3 * Math.round(255 * share ** gamma);
  const table = lutTable(lut, invert);
  return [table[at] as number, table[at + 1] as number, table[at + 2] as number];
}

/** A plane as the server gives it. */
export async function planeOf(url: string, info: OpenResponse, position: number, reference = false) {
  const { channels } = reference && info.reference ? info.reference : info;
  const response = await fetch(url + channels[position]?.dataUrl);
  if (!response.ok) throw new Error(await response.text());
  return new Float32Array(await response.arrayBuffer());
}
