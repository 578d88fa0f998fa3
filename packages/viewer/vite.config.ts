import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));

/** Adds `licenses.txt` with the license of every package whose code is in the bundle, as their licenses require. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const names = modules
        .map((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
        .filter((name) => name !== undefined);
      const texts = [...new Set(names)].sort().map((name) => `${name}\n\n${licenseOf(name)}`);
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
  const file = ['LICENSE', 'LICENSE.md', 'license']
    .map((file) => resolve(folder, file))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${name} has no license file`);
  return readFileSync(file, 'utf8').trim();
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
export default defineConfig({
  root: here,
  base: './',
  plugins: [smallerCharts(), licenses(), tokens()],
  // The other packages as they are written, not as they were built.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: resolve(here, 'dist'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': process.env['ACQSTORE_URL'] ?? 'http://127.0.0.1:8767' } },
});
