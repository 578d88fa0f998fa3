import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The text between `<!-- name -->` and `<!-- /name -->` of a page; with `UPDATE_DOCS` it is replaced first. */
export function docBlock(page: string, name: string, wanted: string): string {
  const path = resolve(ROOT, page);
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end);
  if (to < from) throw new Error(`${page} has no block ${name}`);
  if (process.env['UPDATE_DOCS']) {
    writeFileSync(path, text.slice(0, from) + wanted + text.slice(to));
    return wanted;
  }
  return text.slice(from, to);
}

export function markdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
