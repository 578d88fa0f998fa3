import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../support/cli.js';
import { readerFiles } from '../../support/reader-sizes.js';

const dist = join(REPOSITORY, 'packages', 'viewer', 'dist');
const files = (readdirSync(dist, { recursive: true }) as string[]).filter((name) => /\.\w+$/.test(name));
/** What reads files in the page has sizes of its own: see `tests/page/page.test.ts`. */
const readers = readerFiles(dist);
const isReader = (name: string) => readers.has(basename(name));
/** Scripts that `index.html` does not name. */
const isLater = (name: string) => name.endsWith('.js') && !read('index.html').includes(basename(name));
const read = (name: string) => readFileSync(join(dist, name));

const ALLOWED =
  /^(http:\/\/(www\.w3\.org|www\.openmicroscopy\.org|127\.0\.0\.1)|https:\/\/(neuroglancer-demo\.appspot\.com|hms-dbmi\.github\.io|localhost|git-lfs\.github\.com)$)/;

describe('the built viewer', () => {
  it('is small', () => {
    const size = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(files.length).toBeGreaterThan(3);
    // What is loaded with the page; the rest when it is used.
    expect(
      size(files.filter((name) => !isLater(name) && !isReader(name) && name !== 'licenses.txt')),
    ).toBeLessThanOrEqual(214_000);
    expect(size(files.filter((name) => isLater(name) && !isReader(name)))).toBeLessThanOrEqual(54_000);
  });

  it('contains the license of every package in it', () => {
    const text = read('licenses.txt').toString();
    for (const name of ['@preact/signals', 'preact', 'uplot']) {
      expect(text).toMatch(new RegExp(`(^|\\n)${name}\\n\\n[^-]*(MIT|Permission is hereby granted)`, 'i'));
    }
  });

  it('contains nothing inline and nothing from other sites', () => {
    const html = read('index.html').toString();
    expect(html).not.toMatch(/<style|\son\w+=|style=|<script(?![^>]*\ssrc=)/i);
    const text = files.filter((name) => /\.(html|css)$/.test(name)).map((name) => read(name).toString());
    for (const one of text) expect(one).not.toMatch(/https?:\/\/|url\(\s*["']?\/\//);
    // The page does not request the names of namespaces, and only shows links to other viewers, to be copied. Readers know the
    // first line of a file that Git LFS has not fetched, and a codec resolves names against a host that it does not ask.
    const script = files.filter((name) => name.endsWith('.js')).map((name) => read(name).toString());
    const addresses = script.flatMap((one) => one.match(/https?:\/\/[\w.:-]+/g) ?? []);
    expect(addresses.filter((one) => !ALLOWED.test(one))).toEqual([]);
  });

  it('requests its parts relative to itself', () => {
    const html = read('index.html').toString();
    const asked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(asked.length).toBeGreaterThan(2);
    for (const address of asked) expect(address).toMatch(/^\.\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
  });
});
