import { readdirSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Wordings that the glossary in CONTRIBUTING.md replaces, each with what to write instead. */
const REFUSED: [RegExp, string][] = [
  [/(?<!\bthere )\b(?:is|are) no\b(?! (?:longer|more)\b)/i, '"is not a …", "has no …"'],
  [/\bbeyond (?:all )?reason\b/i, 'the number, the limit and its setting'],
  [/\bthan (?:can be meant|is credible|any real\b|a real\b)/i, 'the number and the limit'],
  [/\bha(?:s|ve) a place\b|\bthan (?:its|their) place\b/i, '"decompresses to more than the expected … bytes"'],
  [/\bis no place\b|\bnowhere\b/i, '"falls outside the file", "is a broken link"'],
  [/\bcut off\b|\bnot whole\b/i, '"truncated", "ends early"'],
  [/\bdamaged\b/i, '"corrupted", or "inconsistent" when two places disagree'],
  [/\bleft out\b|\bpassed over\b/i, '"skipped", "ignored"'],
  [/\b(?:came|comes) by\b/i, '"opened by path", "dragged onto the page"'],
  [/\bstands? for nothing\b|\bmakes? no sense\b/i, '"is invalid"'],
  [/\bnot (?:read|known|decoded) here\b/i, '"not supported"'],
  [/\bsa(?:y|ys|id) otherwise\b/i, '"does not match"'],
  [/\bcannot be(?=$|[.;,:])/i, 'the limit, or "is invalid"'],
  [/\bstates? (?:no|none)\b/i, '"does not contain", "is missing"'],
  [/\b(?:is|are) none\b/i, '"is not a …", "is 0"'],
  [/\b(?:is|are|was|were) gone\b|\b(?:is|are) not there\b|\bnever here\b/i, '"is missing", "was deleted"'],
  [/\b(?:is|are|was|were) taken (?:as|to)\b/i, '"assumed"'],
  [/\bin a circle\b/i, '"contains a loop"'],
  [/\bas told\b|\bis told by\b/i, '"as requested", "is described in"'],
  [/\bwhatever\b/i, '"regardless of"'],
];
const REFUSED_NAME = /\b(?:[A-Z0-9]+_)*(?:MOST|LARGEST)_[A-Z0-9_]+\b/g;

/**
 * What is still to be rewritten. Remove a line when its folder or file is clean; add none.
 * The blank lines let two branches remove neighbors without a conflict.
 */
const PENDING: string[] = [];

/** The text of every string, template and JSX text in a source. An expression in a template reads as `…`. */
function texts(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const collected: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value, quasis } = node as {
      type?: string;
      value?: unknown;
      quasis?: { value: { cooked: string } }[];
    };
    if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') collected.push(value);
    if (quasis) collected.push(quasis.map((quasi) => quasi.value.cooked).join('…'));
    Object.values(node).forEach(visit);
  };
  visit(program.body);
  return collected;
}

/** What the voice of the product refuses in a source, one line per finding. */
function faults(path: string, source: string): string[] {
  const names = [...new Set(source.match(REFUSED_NAME))].map((name) => `${path}: ${name} → MAX_…`);
  // Most files are clean: only those whose text matches at all are parsed.
  const suspects = REFUSED.filter(([pattern]) => pattern.test(source));
  if (suspects.length === 0) return names;
  const messages = texts(path, source).flatMap((text) => {
    const refused = suspects.filter(([pattern]) => pattern.test(text));
    return refused.map(([, instead]) => `${path}: ${JSON.stringify(text.trim())} → ${instead}`);
  });
  return [...names, ...messages];
}

function sources(folder: string): string[] {
  const names = readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => ['.ts', '.tsx'].includes(extname(name)))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const SOURCES = [
  'packages/readers/src',
  'packages/client/src',
  'packages/conformance/src',
  'packages/server/src',
  'packages/viewer/src',
  'packages/viewer-v1/src',
  'packages/desktop/src',
  'packages/desktop/page/src',
];
const FAULTS = SOURCES.flatMap(sources).flatMap((path) => {
  return faults(path, readFileSync(resolve(ROOT, path), 'utf8'));
});
/** What the same rules refuse in a page of the docs, outside of code. */
function pageFaults(path: string): string[] {
  const text = readFileSync(resolve(ROOT, path), 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
  // A sentence may be wrapped anywhere; rows of tables and items of lists stay apart.
  const parts = text.replace(/<!--.*-->/g, '').split(/\n\s*\n|\n(?=\s*(?:[|#-]|\d+\.) ?)/);
  return parts.flatMap((part) => {
    const sentence = part.trim().replace(/\s+/g, ' ');
    const refused = REFUSED.filter(([pattern]) => pattern.test(sentence));
    return refused.map(([, instead]) => `${path}: ${JSON.stringify(sentence)} → ${instead}`);
  });
}

/** CONTRIBUTING.md has the glossary, and so the wordings that it replaces. */
const PAGES = [
  ...['README.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(resolve(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];
const inside = (entry: string) => (fault: string) => fault.startsWith(`${entry}/`) || fault.startsWith(`${entry}:`);

describe('the voice of messages', () => {
  it('is that of the glossary in CONTRIBUTING.md', () => {
    expect(FAULTS.filter((fault) => !PENDING.some((entry) => inside(entry)(fault)))).toEqual([]);
  });

  it('is the voice of the docs too', () => {
    expect(PAGES.flatMap(pageFaults)).toEqual([]);
  });

  it('has no folder listed as pending that is already clean', () => {
    expect(PENDING.filter((entry) => !FAULTS.some(inside(entry)))).toEqual([]);
  });

  it('is checked in strings, templates and JSX, and not in comments or code', () => {
    const source = `
      // A chunk that is cut off is no chunk.
      const message = \`\${name}: is no ZIP file\`;
      const quoted = 'it is "damaged"';
      const nested = \`\${list.map((entry) => \`\${entry} was left out\`)}\`;
      const shown = <p>The file leads nowhere.</p>;
      const limit = MOST_ENTRIES + LZ4_LARGEST_BLOCK;
      const fine = 'there is no scene 3, and it is no longer open';
      const pattern = /is no ZIP/;
    `;
    const found = faults('example.tsx', source).map((fault) => fault.replace(/ → .*/, ''));
    expect(found).toEqual([
      'example.tsx: MOST_ENTRIES',
      'example.tsx: LZ4_LARGEST_BLOCK',
      'example.tsx: "…: is no ZIP file"',
      'example.tsx: "it is \\"damaged\\""',
      'example.tsx: "… was left out"',
      'example.tsx: "The file leads nowhere."',
    ]);
  });
});
