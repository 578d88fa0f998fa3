import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const MAX_BYTES = 20_000;

const dist = join(REPOSITORY, 'packages', 'viewer-v1', 'dist');
const files = readdirSync(dist);
const read = (name: string) => readFileSync(join(dist, name), 'utf8');
const ofType = (extension: string) => files.filter((name) => name.endsWith(extension)).map(read);

describe('the built demo of API v1', () => {
  it('is at most 20 kB as served, its icon included', () => {
    expect(files.map((name) => name.replace(/-[\w-]{8}(?=\.)/, '')).sort()).toEqual([
      'icon.svg',
      'index.css',
      'index.html',
      'index.js',
    ]);
    const size = files.reduce((sum, name) => sum + readFileSync(join(dist, name)).length, 0);
    expect(size).toBeGreaterThan(5_000);
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('contains nothing inline, and no address of another site', () => {
    const html = read('index.html');
    expect(html).not.toMatch(/<style|\son\w+=|style=|<script(?![^>]*\ssrc=)/i);
    for (const text of [html, ...ofType('.css'), ...ofType('.js')]) expect(text).not.toMatch(/https?:|url\(/);
  });

  it('requests its parts from /demo-assets/, below any path of a proxy', () => {
    const addresses = [...read('index.html').matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    const parts = addresses.filter((address) => address !== 'v2/');
    expect(parts).toHaveLength(4);
    for (const part of parts) expect(part).toMatch(/^\.\.\/demo-assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
  });

  it('uses API v1 only', () => {
    const calls = ofType('.js').flatMap((script) => script.match(/\/api\/[\w/-]*/g) ?? []);
    expect(calls).toEqual(['/api/v1/pick-and-open']);
  });

  it('says that it is frozen, and links to the current viewer', () => {
    expect(read('index.html')).toMatch(/This demo is frozen: it uses API v1 only[^<]*<a href="v2\/">/);
  });
});
