/** Whether the controls of a page can be seen, whatever the width of the window. */
import type { Page } from 'playwright-core';
import { frames } from './viewer-image.js';

/** Widths that a window of the viewer commonly has, CSS pixels: half a screen, a laptop, a monitor. */
const WIDTHS = [720, 1440, 1920];

/** Controls that are cut off at the left or right without a way to scroll to them, and pages wider than the window. */
export async function cutOff(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  const problems: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...size, width });
    await frames(page);
    problems.push(...(await page.evaluate(findCutOff)).map((text) => `at ${width} px: ${text}`));
  }
  await page.setViewportSize(size);
  await frames(page);
  return problems;
}

/** Runs in the page. */
function findCutOff(): string[] {
  const problems: string[] = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) problems.push(`the page is ${scrollWidth} px wide`);
  const dialog = document.querySelector('dialog[open]');
  const controls = 'button, input, select, textarea, summary, a[href], [role=tab], [role=slider]';
  for (const control of (dialog ?? document).querySelectorAll(controls)) {
    const { left, right, width } = control.getBoundingClientRect();
    const { position, visibility } = getComputedStyle(control);
    if (width < 2 || visibility === 'hidden' || control.closest('.visually-hidden')) continue;
    if (control.getClientRects().length === 0) continue;
    let [from, to] = [0, innerWidth];
    for (let around = control.parentElement; around && position !== 'fixed'; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around);
      if (overflowX === 'visible') continue;
      if (overflowX === 'auto' || overflowX === 'scroll') {
        [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
        break;
      }
      const box = around.getBoundingClientRect();
      [from, to] = [Math.max(from, box.left), Math.min(to, box.right)];
    }
    if (left < from - 1 || right > to + 1) problems.push(`cut off: ${control.outerHTML.slice(0, 120)}`);
  }
  return problems;
}
