/** The viewer as a user of any browser sees it: elements by the names that they have for everybody. */
import { expect } from 'vitest';
import type { Rgb } from '../viewer-image.js';
import type { EnginePage, Point } from './types.js';

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** JavaScript that finds the first visible element with a name, by its label, its text or its description. */
function find(selector: string, name: string): string {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].find((element) => {
    const names = [element.getAttribute('aria-label'), element.textContent, element.title, element.labels?.[0]?.textContent];
    return element.getClientRects().length > 0 && names.some((name) => name?.trim().startsWith(${JSON.stringify(name)}));
  })`;
}

export class EngineViewer {
  private readonly page: EnginePage;

  constructor(page: EnginePage) {
    this.page = page;
  }

  /** Waits until an expression of the page is true. */
  async until(what: string, expression: string): Promise<void> {
    await expect
      .poll(() => this.page.evaluate<boolean>(`Boolean(${expression})`), { message: what, timeout: 45_000 })
      .toBe(true);
  }

  async box(selector: string, name = ''): Promise<Box> {
    const element = find(selector, name);
    await this.until(`${selector} “${name}”`, element);
    return this.page.evaluate<Box>(`(() => {
      const element = ${element};
      element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    })()`);
  }

  /** Waits until the element has stopped moving: a page that has just changed may not be laid out yet. */
  private async restingBox(selector: string, name: string): Promise<Box> {
    let box = await this.box(selector, name);
    await expect
      .poll(async () => {
        const before = box;
        box = await this.box(selector, name);
        return (['x', 'y', 'width', 'height'] as const).every((side) => box[side] === before[side]);
      })
      .toBe(true);
    return box;
  }

  async click(selector: string, name = ''): Promise<void> {
    const { x, y, width, height } = await this.restingBox(selector, name);
    await this.page.click({ x: x + width / 2, y: y + height / 2 });
  }

  async focus(selector: string, name = ''): Promise<void> {
    const element = find(selector, name);
    await this.until(`${selector} “${name}”`, element);
    await this.page.evaluate(`(${element}).focus()`);
  }

  text(selector: string, name = ''): Promise<string> {
    return this.page.evaluate<string>(`(${find(selector, name)})?.textContent ?? ''`);
  }

  value(selector: string, name: string): Promise<string> {
    return this.page.evaluate<string>(`(${find(selector, name)})?.value ?? ''`);
  }

  /** Replaces what a field holds, as a user does: select everything, type, Enter. */
  async enter(selector: string, name: string, text: string): Promise<void> {
    await this.click(selector, name);
    await this.page.evaluate(`(${find(selector, name)}).select()`);
    await this.page.type(text);
    await this.page.press('Enter');
  }

  /** Shows the field for a path, which is below the bar while an acquisition is shown, and focuses it. */
  async showPathField(): Promise<void> {
    const field = find('input', 'Path of a file or folder');
    if (!(await this.page.evaluate<boolean>(`Boolean(${field})`))) await this.click('button', 'More ways to open');
    await this.until('the field for a path', field);
    await this.page.evaluate(`(${field}).focus()`);
  }

  async openPath(path: string): Promise<void> {
    await this.showPathField();
    await this.enter('input', 'Path of a file or folder', path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    await this.until(`the tab of ${name}`, find('[role=tab][aria-selected=true]', name));
    await this.loaded();
  }

  /** Until all planes have arrived and every picture stays as it is. */
  async loaded(): Promise<void> {
    await this.until('a picture', `document.querySelector('canvas.image-canvas')`);
    await this.until(
      'the end of loading',
      `!document.querySelector('.app-task') && !document.body.innerText.includes('Counting all samples')`,
    );
    let before = '';
    await expect
      .poll(
        async () => {
          const now = await this.picture();
          const same = now === before && now !== '';
          before = now;
          return same;
        },
        { message: 'a picture that rests', timeout: 45_000, interval: 100 },
      )
      .toBe(true);
  }

  /** A text that changes with any pixel of any picture; empty while a picture has only one color. */
  picture(): Promise<string> {
    return this.page.evaluate<string>(`[...document.querySelectorAll('canvas.image-canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let hash = 0;
      let plain = true;
      for (let i = 0; i < data.length; i++) {
        hash = (hash * 31 + data[i]) | 0;
        plain &&= data[i] === data[i % 4];
      }
      return plain ? '' : String(hash);
    }).join('')`);
  }

  /** Colors of the first picture at fractions of its width and height. */
  colors(places: readonly Point[]): Promise<Rgb[]> {
    return this.page.evaluate<Rgb[]>(`(() => {
      const canvas = document.querySelector('canvas.image-canvas');
      const context = canvas.getContext('2d');
      return ${JSON.stringify(places)}.map(({ x, y }) =>
        [...context.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data].slice(0, 3));
    })()`);
  }

  /** Where the middles of samples lie in a picture with square samples that shows the whole plane, as fractions. */
  async places(
    samples: readonly (readonly [row: number, column: number])[],
    [rows, columns]: readonly [number, number],
  ): Promise<Point[]> {
    const { width, height } = await this.box('canvas.image-canvas');
    const zoom = Math.min(width / columns, height / rows);
    return samples.map(([row, column]) => ({
      x: 0.5 + ((column + 0.5 - columns / 2) * zoom) / width,
      y: 0.5 + ((row + 0.5 - rows / 2) * zoom) / height,
    }));
  }

  /** Where the middle of a sample lies on the page, in CSS pixels. */
  async point(row: number, column: number, shape: readonly [number, number]): Promise<Point> {
    const [[place], box] = [await this.places([[row, column]], shape), await this.box('canvas.image-canvas')];
    const { x, y } = place!;
    return { x: box.x + x * box.width, y: box.y + y * box.height };
  }
}
