/** How the page is built that stands alone: a folder of files for any web host, which works without a network after its first load. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_POLICY, workerPolicy } from '@acquisition-store/client/contract/page-policy.js';
import type { Plugin, Rolldown } from 'vite';
import { readersTypes } from './readers-types.ts';
import type { PageBuild } from './src/app/no-server.ts';

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '..', '..');
export const FOLDER = resolve(repository, 'dist', 'page');

/** The page, and the readers by themselves for pages of others. */
export const bundles: Rolldown.RolldownOptions = {
  input: { index: resolve(here, 'index.html'), readers: resolve(here, 'src', 'engine', 'open-files.ts') },
  preserveEntrySignatures: 'exports-only',
  output: { entryFileNames: ({ name }) => (name === 'readers' ? 'readers.js' : 'assets/[name]-[hash].js') },
};

const samples = resolve(repository, 'examples');
const readSamples = (): { file: string; name: string; description: string }[] =>
  JSON.parse(readFileSync(resolve(samples, 'examples.json'), 'utf8'));

/** Returns what the page has to know. The readers must have been compiled. */
export async function describe(): Promise<PageBuild> {
  const { version } = JSON.parse(readFileSync(resolve(here, 'package.json'), 'utf8'));
  const formats = resolve(repository, 'packages', 'readers', 'dist', 'formats', 'index.js');
  const { listFormats } = await import(formats);
  return { version, formats: listFormats(), samples: readSamples() };
}

export function plugins(): Plugin[] {
  return [html(), addFiles(), serviceWorker()];
}

function html(): Plugin {
  return {
    name: 'page-alone-html',
    transformIndexHtml: (text) => ({
      html: text.replace(/<noscript>.*<\/noscript>/, '<noscript>This page needs JavaScript.</noscript>'),
      tags: [
        {
          tag: 'meta',
          injectTo: 'head-prepend',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: PAGE_POLICY },
        },
        { tag: 'script', injectTo: 'head', attrs: { src: './from-disk.js', defer: true } },
        { tag: 'meta', injectTo: 'head', attrs: { name: 'referrer', content: 'no-referrer' } },
      ],
    }),
  };
}

/** Adds the samples, what says that the page does not run from a disk, and the types of the readers. */
function addFiles(): Plugin {
  return {
    name: 'page-alone-files',
    async generateBundle() {
      const source = readFileSync(resolve(here, 'from-disk.js'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'from-disk.js', source });
      const types = await readersTypes(resolve(repository, 'packages'));
      this.emitFile({ type: 'asset', fileName: 'readers.d.ts', source: types });
      for (const { file } of readSamples()) {
        this.emitFile({ type: 'asset', fileName: file, source: readFileSync(resolve(samples, file)) });
      }
    },
  };
}

/** Adds the service worker, which knows all files of the page. */
function serviceWorker(): Plugin {
  return {
    name: 'page-alone-service-worker',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const names = Object.keys(bundle)
        .filter((name) => !name.endsWith('.d.ts'))
        .sort();
      const hash = createHash('sha256');
      for (const file of names.map((name) => bundle[name]!))
        hash.update(file.type === 'chunk' ? file.code : file.source);
      const source = readFileSync(resolve(here, 'service-worker.js'), 'utf8')
        .replace('__FILES__', JSON.stringify(['./', ...names.filter((name) => name !== 'index.html')]))
        .replace('__VERSION__', JSON.stringify(hash.digest('hex').slice(0, 16)))
        .replace('__POLICY__', JSON.stringify(workerPolicy(PAGE_POLICY)));
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source });
    },
  };
}
