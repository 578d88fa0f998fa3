// Measures the structure of a checkout: its size, and what an open goes through.
//   node scripts/structure.mjs [folder of the checkout] [file to open] [--list]
// With --list it names the files and the types on the way of an open.
// The checkout may be an older one. Its packages must be compiled without being bundled: npx tsc -p packages/NAME for readers,
// client, conformance and server, in a checkout of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst, Visitor } from 'vite';
import { watchOpens } from './structure/watch-opens.mjs';

const here = join(dirname(fileURLToPath(import.meta.url)), '..');
const MAX_FUNCTION_LINES = 50;

/** @param {string} root @returns {string[]} paths of the sources of all packages, of the server and the pages alike */
function sourcesOf(root) {
  const tracked = execFileSync('git', ['-C', root, 'ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' }).split('\n');
  return tracked.filter((path) => /(^|\/)src\//.test(path) && !/^(tests|bench|scripts)\//.test(path));
}

/** The folder whose sources belong together: `packages/server`, or what a checkout without packages has. @param {string} path */
const packageOf = (path) => path.slice(0, path.search(/(^|\/)src\//));

/** @param {string} root */
function measureSources(root) {
  const paths = sourcesOf(root);
  const folders = new Set(paths.map((path) => dirname(path)));
  /** @type {Map<string, number>} */
  const types = new Map();
  let [lines, long] = [0, 0];
  for (const path of paths) {
    const source = readFileSync(join(root, path), 'utf8');
    lines += source.split('\n').length - 1;
    for (const name of typesIn(source, path).declared) {
      const key = `${packageOf(path)} ${name}`;
      types.set(key, (types.get(key) ?? 0) + 1);
    }
    if (!path.endsWith('.d.ts')) long += countLong(source, path);
  }
  const twice = [...types.values()].filter((count) => count > 1).length;
  return { files: paths.length, lines, folders: folders.size, types: types.size, twice, long };
}

/** @param {string} source @param {string} path */
function typesIn(source, path) {
  /** @type {Set<string>} */
  const declared = new Set();
  /** @type {Set<string>} */
  const imported = new Set();
  const visitor = new Visitor({
    TSInterfaceDeclaration: ({ id }) => void declared.add(id.name),
    TSTypeAliasDeclaration: ({ id }) => void declared.add(id.name),
    ClassDeclaration: ({ id }) => void (id && declared.add(id.name)),
    ImportDeclaration: ({ importKind, specifiers }) => {
      for (const one of specifiers) {
        const isType = importKind === 'type' || (one.type === 'ImportSpecifier' && one.importKind === 'type');
        if (isType) imported.add(one.local.name);
      }
    },
  });
  visitor.visit(parseAst(source, { lang: langOf(path) }));
  return { declared, imported };
}

/** @param {string} source @param {string} path */
function countLong(source, path) {
  let long = 0;
  /** @param {{ start: number, end: number }} node */
  const check = ({ start, end }) => {
    if (source.slice(start, end).split('\n').length > MAX_FUNCTION_LINES) long++;
  };
  const visitor = new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  });
  visitor.visit(parseAst(source, { lang: langOf(path) }));
  return long;
}

/** @param {string} path */
function langOf(path) {
  return path.endsWith('.d.ts') ? 'dts' : path.endsWith('x') ? 'tsx' : 'ts';
}

/** Names of the types in modules. @param {string} root @param {readonly string[]} modules paths in dist/ of those that an open enters */
function typesMet(root, modules) {
  const names = new Set();
  for (const path of modules) {
    const source = join(root, path.replace(/(^|\/)dist\//, '$1src/').replace(/$/, '.ts'));
    if (!existsSync(source)) continue;
    const { declared, imported } = typesIn(readFileSync(source, 'utf8'), source);
    for (const name of [...declared, ...imported]) names.add(name);
  }
  return [...names].sort();
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const [root = here, file = join(here, 'packages/server/warm-up/plain.tif')] = positionals;
const { files, lines, folders, types, twice, long } = measureSources(root);
console.log(`sources: ${files} files, ${lines} lines, ${folders} folders, ${types} named types`);
console.log(`type names declared twice or more in a package: ${twice}`);
console.log(`functions above ${MAX_FUNCTION_LINES} lines: ${long}`);

const work = mkdtempSync(join(tmpdir(), 'structure-'));
try {
  const { modules, functions, climbs } = await watchOpens(root, file, work);
  const ofServer = modules.filter(
    (path) => !/^(packages\/)?readers\/|dist\/(formats|tiff|io|samples|metadata|codecs)\//.test(path),
  );
  console.log(`an open, its plane and the end of its session enter ${modules.length} files, ${functions} functions`);
  const met = typesMet(root, ofServer);
  console.log(`  without readers: ${ofServer.length} files, with ${met.length} named types`);
  if (values.list) console.log(`${ofServer.map((path) => `    ${path}`).join('\n')}\n    ${met.join(' ')}`);
  console.log(`  climbs, calls from one folder to another against the imports: ${climbs.length}`);
  for (const climb of climbs) console.log(`    ${climb}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
