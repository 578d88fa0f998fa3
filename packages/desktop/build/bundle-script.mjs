// Bundles a module with everything that it imports into one script, as a single executable application needs it.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const DESKTOP = join(dirname(fileURLToPath(import.meta.url)), '..');
const REPLACEMENT = join(DESKTOP, 'dist', 'executable', 'package-files.js');
/** Stands for `node:sea` where the files are beside Node, not inside. */
const BESIDE = join(DESKTOP, 'dist', 'executable', 'files-beside.js');

/**
 * @param {string} entry
 * @param {string} output
 * @param {string} packageFolder the unpacked package
 * @param {boolean} isSingleFile whether the files of the package are inside the executable
 * @returns {Promise<string[]>} paths of the modules in it
 */
export async function bundleScript(entry, output, packageFolder, isSingleFile) {
  /** @type {string[]} */
  const modules = [];
  await build({
    root: DESKTOP,
    configFile: false,
    logLevel: 'warn',
    plugins: [fromPackage(packageFolder, isSingleFile), collect(modules)],
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: true,
      target: 'node22',
      outDir: dirname(output),
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      rolldownOptions: {
        input: entry,
        output: { format: 'cjs', entryFileNames: output.slice(dirname(output).length + 1), codeSplitting: false },
      },
    },
  });
  return modules;
}

/**
 * Notes which modules are in the script.
 * @param {string[]} modules
 * @returns {import('vite').Plugin}
 */
function collect(modules) {
  return {
    name: 'collect',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') modules.push(...file.moduleIds);
    },
  };
}

/**
 * Takes modules of the package from its unpacked tarball, and the files inside the executable from there.
 * @param {string} packageFolder
 * @param {boolean} isSingleFile
 * @returns {import('vite').Plugin}
 */
function fromPackage(packageFolder, isSingleFile) {
  const built = resolve(DESKTOP, '..', 'server', 'dist');
  return {
    name: 'from-package',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === 'node:sea' && !isSingleFile) return BESIDE;
      if (importer === undefined || !source.startsWith('.')) return null;
      const path = resolve(dirname(importer), source);
      const isBuilt = path.startsWith(built);
      const packed = isBuilt ? join(packageFolder, 'dist', path.slice(built.length)) : path;
      if (packed === join(packageFolder, 'dist', 'package-files.js')) return REPLACEMENT;
      return isBuilt ? packed : null;
    },
  };
}
