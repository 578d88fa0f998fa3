// Bundles what a start loads: TypeBox alone has 700 modules, and reading them took a third of it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Modules of dist/ that keep their names: the library, the command, and the workers. */
const ENTRIES = ['index', 'cli/main', 'cli/command-line', 'batch/worker', 'decode/worker', 'storage/lookup-worker'];
/** Stays a module of its own: it finds files from where it is, and the desktop application replaces it. */
const APART = join(root, 'dist', 'package-files.js');
/** The other dependencies load fast enough, and are updated without a release of this package. */
const BUNDLED = ['typebox'];

/** Replaces the entries in dist/ by bundles that share dist/chunks/. The modules that they consist of stay for tests. */
export async function bundle() {
  const license = readFileSync(join(root, 'node_modules', 'typebox', 'license'), 'utf8');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: BUNDLED },
    build: {
      ssr: true,
      target: 'node20',
      outDir: 'dist',
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      rolldownOptions: {
        external: [APART],
        input: Object.fromEntries(ENTRIES.map((name) => [name, join(root, 'dist', `${name}.js`)])),
        output: {
          entryFileNames: '[name].js',
          // One folder below dist/, like the modules themselves: paths relative to `import.meta.url` stay as they are.
          chunkFileNames: 'chunks/[name].js',
          codeSplitting: { groups: [{ name: 'typebox', test: /node_modules[\\/]typebox[\\/]/ }] },
          banner: ({ name }) => (name === 'typebox' ? `/*!\n${license.trim()}\n*/` : ''),
        },
      },
    },
  });
}
