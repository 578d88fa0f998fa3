// Bundles what a start loads: TypeBox alone has 700 modules, and reading them took a third of it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const server = join(root, 'packages', 'server');

/** @param {string} name */
const entry = (name) => join(server, 'dist', `${name}.js`);

/** Modules of dist/ that keep their names: the library, the command, and the workers. */
const ENTRIES = ['index', 'cli/main', 'cli/command-line', 'batch/worker', 'decode/worker', 'storage/lookup-worker'];
/** Stays a module of its own: it finds files from where it is, and the desktop application replaces it. */
const APART = join(server, 'dist', 'package-files.js');
/**
 * The other dependencies load fast enough, and are updated without a release of this package.
 * @type {Record<string, string[]>} the packages of each chunk
 */
const BUNDLED = { typebox: ['typebox'], saxes: ['saxes', 'xmlchars'] };

/** What is loaded for one format or one compression. */
const READER = /dist[\\/](?:formats[\\/](?<format>[^\\/]+)|codecs[\\/].*)/;

/**
 * Lets threads read few files, which took most of the time until they had started: one chunk with all that the look-up
 * thread imports, one with what decode workers import besides, another with what the server needs of that and of readers, one with
 * what several readers import, and one for each format: its parts, which a page loads one by one, take longer to find than to read.
 * @returns {import('vite').Rolldown.CodeSplittingGroup[]}
 */
function forThreads() {
  const [lookUp, decode, serve] = [entry('storage/lookup-worker'), entry('decode/worker'), entry('cli/serve')];
  // A start imports it once the threads run.
  const routes = entry('server/listen');
  /** @type {Map<string, Set<string>> | undefined} */
  let loads;
  /**
   * @param {string} title
   * @param {number} priority
   * @param {(isIn: (loader: string) => boolean, loaders: readonly string[]) => string | boolean | undefined} choose
   */
  const group = (title, priority, choose) => ({
    debugName: title,
    priority,
    /** @param {string} id @param {import('vite').Rolldown.ChunkingContext} context */
    name: (id, context) => {
      loads ??= loadedBy([lookUp, decode, serve], context);
      const loaders = [...loads].filter(([, ids]) => ids.has(id)).map(([loader]) => loader);
      // What starts a thread stays by itself: other threads import the chunks, too.
      if (id === lookUp || id === decode) return null;
      const chosen = choose((loader) => loaders.includes(loader), loaders);
      return chosen === true ? title : chosen || null;
    },
  });
  return [
    group('base', 4, (isIn) => isIn(lookUp)),
    group(
      'planes',
      3,
      (isIn, loaders) =>
        (isIn(serve) || isIn(routes)) && (isIn(decode) || loaders.some((loader) => READER.test(loader))),
    ),
    group('decode', 2, (isIn) => isIn(decode)),
    group('readers', 1, (_, loaders) => readersIn(loaders).size > 1),
    group('formats', 0, (_, loaders) => formatOf(loaders)),
  ];
}

/**
 * Returns the folders of the formats, and the codecs, among loaders.
 * @param {readonly string[]} loaders
 */
function readersIn(loaders) {
  return new Set(loaders.flatMap((loader) => READER.exec(loader)?.[0] ?? []));
}

/** @param {readonly string[]} loaders */
function formatOf(loaders) {
  const formats = new Set(loaders.map((loader) => READER.exec(loader)?.groups?.['format']));
  return formats.size === 1 ? [...formats][0] : undefined;
}

/**
 * Returns the modules that each entry, and each dynamic import, loads.
 * @param {string[]} entries
 * @param {import('vite').Rolldown.ChunkingContext} context
 */
function loadedBy(entries, context) {
  /** @type {Map<string, Set<string>>} */
  const loads = new Map(entries.map((entry) => [entry, new Set()]));
  for (const [loader, ids] of loads) {
    const waiting = [loader];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (ids.has(id)) continue;
      ids.add(id);
      const info = context.getModuleInfo(id);
      waiting.push(...(info?.importedIds ?? []));
      for (const loader of info?.dynamicallyImportedIds ?? []) if (!loads.has(loader)) loads.set(loader, new Set());
    }
  }
  return loads;
}

/** A chunk for each dependency that is bundled. */
function dependencies() {
  return Object.entries(BUNDLED).map(([name, packages]) => ({
    name,
    test: new RegExp(`node_modules[\\\\/](${packages.join('|')})[\\\\/]`),
    priority: 5,
  }));
}

/** @param {string} name of a package */
function licenseOf(name) {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^license$/i.test(entry));
  const { author, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Copyright ${author}. License: ${license}.`;
  return `/*!\n${name}\n\n${text}\n*/\n`;
}

/** Replaces the entries in dist/ by bundles that share dist/chunks/. The modules that they consist of stay for tests. */
export async function bundle() {
  await build({
    root: server,
    configFile: false,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: [/^@acquisition-store\//, ...Object.values(BUNDLED).flat()] },
    build: {
      ssr: true,
      target: 'node20',
      outDir: 'dist',
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      rolldownOptions: {
        external: [APART],
        // Some codecs are loaded when a file needs them, and are part of others that are.
        checks: { ineffectiveDynamicImport: false },
        input: Object.fromEntries(ENTRIES.map((name) => [name, entry(name)])),
        output: {
          entryFileNames: '[name].js',
          // One folder below dist/, like the modules themselves: paths relative to `import.meta.url` stay as they are.
          chunkFileNames: 'chunks/[name].js',
          codeSplitting: { groups: [...dependencies(), ...forThreads()] },
          banner: ({ name }) => (BUNDLED[name] ?? []).map(licenseOf).join(''),
        },
      },
    },
  });
}
