import { readdirSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '../../packages/readers/src/base/errors.js';
import { FORMATS, supportedExtensions } from '../../packages/readers/src/formats/index.js';
import { createProgram } from '../../packages/server/src/cli/program.js';
import { SETTINGS } from '../../packages/server/src/cli/setting-list.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');
const PAGES = ['troubleshooting', 'microscopes', 'faq', 'upgrading'].map((name) => `docs/${name}.md`);
const SPEAKING = [
  'packages/readers/src',
  'packages/client/src',
  'packages/server/src',
  'packages/viewer/src',
  'python/src',
];

/** Sources as one text each, in which the pieces of a string are joined and expressions read as `…`. */
const SPOKEN = SPEAKING.flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ['.ts', '.tsx', '.py'].includes(extname(name)))
    .map((name) => asSpoken(read(`${folder}/${name}`))),
);

function asSpoken(source: string): string {
  return source
    .replace(/\\(['"`])/g, '$1')
    .replace(/\$\{[^{}]*\}/g, '…')
    .replace(/['"`]\s*\+\s*['"`]/g, '');
}

/** The messages that a page quotes in curly quotes, on one line each. */
function quotes(text: string): string[] {
  return [...text.matchAll(/“([^”]*)”/g)].map(([, quote = '']) => quote.replace(/\s+/g, ' '));
}

/** True when one source has all pieces of a quoted message, between the names and numbers that `…` stands for. */
function isSaid(quote: string): boolean {
  const pieces = quote.split('…').filter((piece) => /[a-z]{2}/i.test(piece));
  return pieces.some((piece) => piece.length >= 12) && SPOKEN.some((text) => pieces.every((one) => text.includes(one)));
}

/** Codes of errors that a page names: words that are joined by underscores. */
const codes = (text: string) => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code as string);

const none = async () => 0;
const program = createProgram(
  '0.0.0',
  {
    serve: none,
    status: none,
    stop: none,
    token: none,
    mcp: none,
    inspect: none,
    catalog: none,
    check: none,
    export: none,
    formats: none,
    conformance: none,
    completions: none,
  },
  () => {},
);
const FLAGS = new Set([
  ...SETTINGS.map(({ name }) => `--${name}`),
  ...program.commands.flatMap(({ options }) => options.map(({ long }) => long)),
  '--version',
]);

describe('the pages for users', () => {
  it('quote only messages that the server, the viewer or a client says', () => {
    const quoted = PAGES.flatMap((page) => quotes(read(page)).map((quote) => `${page}: ${quote}`));
    expect(quoted.length).toBeGreaterThan(35);
    expect(quoted.filter((one) => !isSaid(one.slice(one.indexOf(': ') + 2)))).toEqual([]);
    expect(isSaid('there is no file or folder at …. Check your spelling.')).toBe(false);
    expect(isSaid('… is …')).toBe(false);
  });

  it('name only codes that exist', () => {
    const known = new Set([
      ...Object.keys(ERROR_STATUS),
      ...codes(read('docs/client.md')),
      ...codes(read('docs/python.md')),
    ]);
    const named = PAGES.flatMap((page) => codes(read(page)));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((code) => !known.has(code))).toEqual([]);
  });

  it('name only options that exist', () => {
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`(?:acqstore \w+ )?(--[a-z-]+)/g)].map(([, flag]) => flag),
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((flag) => !FLAGS.has(flag as string))).toEqual([]);
  });

  it('are short', () => {
    expect(PAGES.filter((page) => read(page).split('\n').length > 151)).toEqual([]);
  });
});

describe('the page of microscopes', () => {
  const page = read('docs/microscopes.md');
  const [readPart = '', refused = ''] = page.split('\n## Not read\n');

  it('names every format, with a link to its page', () => {
    const links = FORMATS.map(({ label, pages: [first] }) => [label.replace(/ \(.*/, ''), first]);
    expect(links.filter(([name, first]) => !page.includes(`[${name}](formats/${first}.md`))).toEqual([]);
  });

  it('links every page of a format', () => {
    const missing = readdirSync(resolve(ROOT, 'docs/formats')).filter((name) => !page.includes(`](formats/${name}`));
    expect(missing).toEqual([]);
  });

  it('says of no extension that is read that it is not, and the other way around', () => {
    const extensions = (text: string) => [...text.matchAll(/`[\w ]*(\.[a-z.]+)`/g)].map(([, one]) => one as string);
    expect(extensions(refused).length).toBeGreaterThan(1);
    expect(extensions(refused).filter((one) => supportedExtensions().includes(one))).toEqual([]);
    const opened = [...readPart.matchAll(/- \*\*Open\*\* ([\s\S]*?)\n- /g)].flatMap(([, text = '']) =>
      extensions(text),
    );
    expect(opened.length).toBeGreaterThan(10);
    // Beside the files that are opened.
    const beside = ['.txt', '.oif.files', '.mat'];
    expect(
      opened.filter((one) => !supportedExtensions().some((known) => one.endsWith(known)) && !beside.includes(one)),
    ).toEqual([]);
  });
});
