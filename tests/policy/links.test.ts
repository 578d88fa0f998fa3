import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAnchors } from '../../site/anchors.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');
/** Files below a folder of the repository with this extension. Folders that builds and installs make, and hidden ones, are skipped. */
function files(folder: string, extension: string): string[] {
  return readdirSync(resolve(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    const hidden = entry.name.startsWith('.') && entry.name !== '.github';
    if (entry.isDirectory()) return hidden || MADE.has(entry.name) ? [] : files(path, extension);
    return entry.name.endsWith(extension) ? [path] : [];
  });
}
const MADE = new Set(['node_modules', 'dist', 'out']);
const PAGES = files('.', '.md');
/** Folders of the repository that pages name in code, such as `tests/writers/czi.ts`. */
const NAMED = /^(?:packages|tests|scripts|docs|examples|deploy|python|matlab|bench)\/[\w./-]+$/;

const withoutBlocks = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```/gm, '');
const withoutCode = (text: string) => withoutBlocks(text).replace(/`[^`\n]*`/g, '');

/** The anchors of the headings of a page. */
function anchors(text: string): string[] {
  const toAnchor = createAnchors();
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) => toAnchor(heading.replace(/\]\([^)]*\)/g, '')));
}

/** The targets of links and pictures in a page that are not on the web: inline, by reference, and in HTML. */
function targets(text: string): string[] {
  const prose = withoutCode(text);
  const patterns = [/\]\(\s*<?([^)\s>]+)/g, /^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?$/gm, /\b(?:href|src)="([^"]+)"/g];
  const found = patterns.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, target]) => target as string));
  return found.filter((target) => !/^(?:https?|mailto):/.test(target));
}

/** What is wrong with the links of a page. */
function linkFaults(page: string, text: string): string[] {
  return targets(text).flatMap((target) => {
    const [path = '', anchor] = target.split('#');
    const file = resolve(ROOT, dirname(page), decodeURI(path));
    if (relative(ROOT, file).startsWith('..') || !existsSync(file)) return [`${page}: ${target} does not exist`];
    if (anchor === undefined) return [];
    const linked = path === '' ? text : path.endsWith('.md') ? readFileSync(file, 'utf8') : '';
    return anchors(linked).includes(anchor) ? [] : [`${page}: ${target} has no such heading`];
  });
}

/** The files and folders that a page names in code and that do not exist. Capitals stand for a name: `tests/unit/ID/`. */
function pathFaults(page: string, text: string): string[] {
  const named = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string);
  const made = (part: string) => MADE.has(part) || /^(?!README\b)[A-Z]{2,}\b/.test(part);
  const paths = named.filter((code) => NAMED.test(code) && !code.split('/').some(made));
  return paths.filter((path) => !existsSync(resolve(ROOT, path))).map((path) => `${page}: \`${path}\` does not exist`);
}

describe('links', () => {
  it.each(PAGES)('of %s lead to files and headings that exist', (page) => {
    expect(linkFaults(page, read(page))).toEqual([]);
  });

  it('are found in every form, and not in code', () => {
    const text = [
      '# One `two`\n## Same\n## Same\n```sh\n# not-a-heading\n[x](code.md)\n```\n`[x](inline.md)`',
      '[a](gone.md) ![b](gone.png "title") [c](#same-1) [d](#same-2) [e](#not-a-heading) [f](#one-two) [g](../../x)',
      '<img src="gone.svg"> [h](https://example.org/gone)\n\n[ref]: gone-too.md',
    ].join('\n');
    expect(linkFaults('page.md', text)).toEqual([
      'page.md: gone.md does not exist',
      'page.md: gone.png does not exist',
      'page.md: #same-2 has no such heading',
      'page.md: #not-a-heading has no such heading',
      'page.md: ../../x does not exist',
      'page.md: gone-too.md does not exist',
      'page.md: gone.svg does not exist',
    ]);
  });
});

describe('pages', () => {
  it('name only files and folders of the repository that exist', () => {
    expect(PAGES.flatMap((page) => pathFaults(page, read(page)))).toEqual([]);
    expect(pathFaults('page.md', 'See `tests/gone.ts`, `tests/unit/ID/`, and `npm test`.')).toEqual([
      'page.md: `tests/gone.ts` does not exist',
    ]);
  });

  it('show every picture beside them', () => {
    const shown = PAGES.flatMap((page) => targets(read(page)).map((target) => resolve(ROOT, dirname(page), target)));
    const pictures = files('docs', '.png');
    expect(pictures.length).toBeGreaterThan(4);
    expect(pictures.filter((picture) => !shown.includes(resolve(ROOT, picture)))).toEqual([]);
  });

  it('lead from the README to the index of the documentation', () => {
    expect(targets(read('README.md'))).toContain('docs/README.md');
  });
});
