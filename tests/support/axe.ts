import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Targets of less than 24 × 24 pixels without room around them (WCAG 2.2, 2.5.8) are not among the rules by default. */
const OPTIONS = JSON.stringify({ rules: { 'target-size': { enabled: true } } });

/** What axe-core complains of, in the words of its rules. */
export async function complaints(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(${OPTIONS})`)) as { violations: Violation[] };
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}
