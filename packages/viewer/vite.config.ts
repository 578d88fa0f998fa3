import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));

/** Packages whose code is in the bundle of the page, or in that of its worker, which is made before. */
const used = new Set<string>();

/** Notes the packages whose code is in a bundle. */
function noteLicenses(): Plugin {
  return {
    name: 'note-licenses',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const ids = file.type === 'chunk' ? file.moduleIds : file.originalFileNames;
        for (const id of ids) {
          // The packages of this repository are linked from there.
          const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
          if (name !== undefined) used.add(name);
        }
      }
    },
  };
}

/** Codecs that were compiled for several platforms name modules of Node, which they do not load in a page. */
function withoutNode(): Plugin {
  return {
    name: 'without-node',
    enforce: 'pre',
    resolveId: (id) => (id === 'fs' || id === 'path' ? '\0without-node' : null),
    load: (id) => (id === '\0without-node' ? 'export default {};' : null),
  };
}

/** Adds `licenses.txt` with the license of every package whose code is in the bundles, as their licenses require. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    enforce: 'post',
    generateBundle() {
      const texts = [...used].sort().map((name) => `${name}\n\n${licenseOf(name)}`);
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: `${texts.join('\n\n---\n\n')}\n` });
    },
  };
}

/** The colors and sizes of the page at an address of their own, for /docs. */
function tokens(): Plugin {
  return {
    name: 'tokens',
    generateBundle() {
      const source = readFileSync(resolve(here, 'src', 'style', 'tokens.css'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'tokens.css', source });
    },
  };
}

function licenseOf(name: string): string {
  const folder = resolve(here, '..', '..', 'node_modules', name);
  const file = ['LICENSE', 'LICENSE.md', 'license', 'license.md']
    .map((file) => resolve(folder, file))
    .find((path) => existsSync(path));
  if (file !== undefined) return readFileSync(file, 'utf8').trim();
  const { author, license } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  if (author === undefined || license === undefined) throw new Error(`${name} has no license file`);
  return `Copyright ${author.name ?? author}. License: ${license}.`;
}

/** Parts of uPlot that no chart of the page uses: axes of dates, and other curves than straight lines. */
const UNUSED_OF_UPLOT: readonly (readonly [part: RegExp, instead: string])[] = [
  [/^const \[ timeIncrs\w+, .*$/gm, ''],
  [/^\tconst _time(AxisSplits|AxisVals|SeriesVal) +=.*$/gm, ''],
  [/\bisTime (\?|&&)/g, 'false $1'],
  [/^\tuPlot\.(fmtDate|tzDate) .*$/gm, ''],
  [/^\t\(paths\.(stepped|bars|spline) .*$/gm, ''],
  [/^\tuPlot\.join = .*$/gm, ''],
];

/** Removes what the page does not use of uPlot and bundlers cannot see. */
function smallerCharts(): Plugin {
  return {
    name: 'smaller-charts',
    transform(code, id) {
      if (!id.endsWith('/uplot/dist/uPlot.esm.js')) return null;
      return UNUSED_OF_UPLOT.reduce((text, [part, instead]) => {
        if (text.search(part) < 0) throw new Error(`uPlot has changed: ${part} was not found`);
        return text.replace(part, instead);
      }, code);
    },
  };
}

/** Static files with relative addresses, so that they work below any base path; nothing inline, as the CSP wants. */
export default defineConfig(async ({ mode }) => {
  // Built by `npm run build -- --page`: it stands alone, without a server.
  const alone = mode === 'page' ? await import('./page-alone.ts') : undefined;
  return {
    root: here,
    base: './',
    plugins: [smallerCharts(), noteLicenses(), licenses(), ...(alone ? alone.plugins() : [tokens()])],
    define: { __PAGE__: JSON.stringify(alone ? await alone.describe() : null) },
    // The other packages as they are written, not as they were built.
    resolve: { conditions: ['source', ...defaultClientConditions] },
    worker: { format: 'es', plugins: () => [withoutNode(), noteLicenses()] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: alone ? alone.FOLDER : resolve(here, 'dist'),
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { checks: { pluginTimings: false }, ...alone?.bundles },
    },
    server: { proxy: { '/api': process.env['ACQSTORE_URL'] ?? 'http://127.0.0.1:8767' } },
  };
});
