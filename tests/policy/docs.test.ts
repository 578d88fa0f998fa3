import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { EXIT } from '../../packages/server/src/cli/exit-codes.js';
import { createProgram } from '../../packages/server/src/cli/program.js';
import { environmentName, printedDefault, SETTINGS } from '../../packages/server/src/cli/setting-list.js';
import { nodeFault } from '../../scripts/node-version.mjs';
import { docBlock, markdownTable } from '../support/doc-blocks.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(resolve(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const INDEX = 'docs/README.md';
const INSTALL = 'docs/install.md';
/** The kinds of pages (https://diataxis.fr) with their pages, in the order in which the index shows them. */
const inFolder = (folder: string) => () => PAGES.filter((page) => page.startsWith(`docs/${folder}/`)).sort();
const named =
  (...names: string[]) =>
  () =>
    names.map((name) => `docs/${name}.md`);
const KINDS: [kind: string, pages: () => string[]][] = [
  ['Tutorial', named('tutorial')],
  [
    'How-to guides',
    () => [
      ...named('install', 'clients', 'for-assistants')(),
      ...named('microscopes', 'troubleshooting', 'upgrading')(),
      ...inFolder('how-to')(),
      ...named('users', 'scale-out', 'operating', 'whole-acquisitions', 'recipes', 'adding-a-format', 'releasing')(),
    ],
  ],
  [
    'Reference',
    named(
      'cli',
      'conformance',
      'export',
      'api',
      'api-v1',
      'analysis',
      'coordinates',
      'compared',
      'ome-zarr-of-any-file',
      'errors',
      'client',
      'python',
      'matlab',
      'fiji',
      'library',
      'viewer',
      'desktop',
      'picker',
      'benchmarks',
    ),
  ],
  ['Explanation', named('faq', 'architecture')],
  ['Formats', inFolder('formats')],
  ['Decisions', inFolder('decisions')],
];
/** Sections of each page of a format: what a user wants to know comes first, the layout of the files after it. */
const FORMAT_SECTIONS = [
  'What is read',
  'What is not read',
  'If something is missing or wrong',
  'Where each value comes from',
  'How the files are laid out',
  'How it was checked',
];
const STALE = 'run: UPDATE_DOCS=1 npx vitest run tests/policy';
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');

/** The folders that the map of CONTRIBUTING.md shows: those that are indented are inside the last one that is less so. */
function foldersOfMap(): string[] {
  const [, map = ''] = /## Find your way\n+```text\n([\s\S]*?)```/.exec(read('CONTRIBUTING.md')) ?? [];
  const parents: string[] = [];
  return map.split('\n').flatMap((line) => {
    const [, indent = '', names = ''] = /^( *)((?:\S+\/(?: +|$))+)/.exec(line) ?? [];
    const depth = indent.length / 2;
    const folders = names
      .trim()
      .split(/ +/)
      .map((name) => `${parents[depth - 1] ?? ''}${name}`);
    parents.splice(depth, parents.length, folders[0] ?? '');
    return names === '' ? [] : folders;
  });
}

/** The folders at the root, those of packages and tests, and those of the sources of the larger packages. */
function foldersToMap(): string[] {
  const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const folders = tracked.flatMap((path) => {
    const names = path.split('/').slice(0, -1);
    return names.map((_, i) => `${names.slice(0, i + 1).join('/')}/`);
  });
  const mapped =
    /^[^./]+\/$|^(packages|tests)\/[^/]+\/$|^packages\/[^/]+\/(?!src\/)[^/]+\/$|^packages\/(client|readers|server)\/src\/[^/]+\/$/;
  return [...new Set(folders)].filter((folder) => mapped.test(folder));
}

const actions = {
  serve: async () => EXIT.ok,
  status: async () => EXIT.ok,
  stop: async () => EXIT.ok,
  token: async () => EXIT.ok,
  mcp: async () => EXIT.ok,
  inspect: async () => EXIT.ok,
  catalog: async () => EXIT.ok,
  check: async () => EXIT.ok,
  export: async () => EXIT.ok,
  formats: async () => EXIT.ok,
  conformance: async () => EXIT.ok,
  completions: async () => EXIT.ok,
};
const program = createProgram('0.0.0', actions, () => {});
const command = (name: string) => {
  const found = program.commands.find((candidate) => candidate.name() === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
};

describe('documentation', () => {
  it('lists every option of serve with its variable and default', () => {
    const rows = SETTINGS.map((setting) => {
      const flag = setting.placeholder ? `--${setting.name} ${setting.placeholder.toUpperCase()}` : `--${setting.name}`;
      return [`\`${flag}\``, `\`${environmentName(setting)}\``, printedDefault(setting), setting.description];
    });
    rows.push(['`--config FILE`', '`ACQSTORE_CONFIG`', 'none', 'JSON file with settings']);
    const wanted = markdownTable(['option', 'environment', 'default', 'meaning'], rows);
    expect(docBlock('docs/cli.md', 'settings', wanted), STALE).toBe(wanted);
  });

  it('knows no other options, commands and exit codes than the command line', () => {
    const flags = (name: string) => command(name).options.map(({ long }) => long);
    expect(flags('serve')).toEqual([...SETTINGS.map(({ name }) => `--${name}`), '--config']);
    const page = read('docs/cli.md');
    const section = (name: string) => page.split(`\n## acqstore ${name}`)[1]?.split('\n## ')[0] ?? '';
    for (const name of program.commands.map((one) => one.name())) {
      expect(section(name), name).not.toBe('');
      for (const flag of flags(name)) expect(section(name)).toMatch(new RegExp(`\`${flag}[\` ]`));
    }
    const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it('gives examples in the help of serve that can be run, and its exit codes', async () => {
    let help = '';
    const served: unknown[] = [];
    const recording = { ...actions, serve: async (flags: object) => served.push(flags) && EXIT.ok };
    const recorder = createProgram('0.0.0', recording, () => {});
    const serve = recorder.commands.find((candidate) => candidate.name() === 'serve');
    serve?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const examples = [...help.matchAll(/^ {2}acqstore (.*)$/gm)].map(([, text]) => text as string);
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) await recorder.parseAsync(example.split(' '), { from: 'user' });
    expect(served).toHaveLength(examples.length);
    const codes = [...help.matchAll(/^ {2}(\d+) {2,}\S/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([EXIT.ok, EXIT.failed, EXIT.usage, EXIT.addressTaken]);
  });

  it('says in the same words how to get the command, on every page that uses it', () => {
    const uses = PAGES.filter(
      (page) => page !== INSTALL && /^(?:\$ )?acqstore |in a terminal: `acqstore/m.test(read(page)),
    );
    expect(uses.length).toBeGreaterThan(10);
    for (const page of ['README.md', ...uses]) {
      const link = relative(dirname(page), INSTALL).replaceAll('\\', '/');
      const words = `In a clone, run \`acqstore\` as \`npx acqstore\`, after the first \`npm start\`. [Get the command](${link}) has other ways.`;
      expect(read(page).split(words).length, `${page} must have once: ${words}`).toBe(2);
    }
  });

  it('names the registry as a source of the package in one place', () => {
    const folders = [
      'packages/client/src',
      'packages/conformance/src',
      'deploy',
      'packages/desktop/src',
      'matlab',
      'python',
      'packages/readers/src',
      'packages/server/src',
      'packages/viewer/docs',
      'packages/viewer/src',
      '.github',
    ];
    const files = folders.flatMap((folder) =>
      readdirSync(resolve(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(ROOT, resolve(entry.parentPath, entry.name)).replaceAll('\\', '/')),
    );
    const published = /\b(?:npm (?:i|install|exec)|npx)\b[^\n`"']* acquisition-store(?![\w./-]*\.tgz|\/|-)/;
    const naming = [...PAGES, ...files].filter((file) => published.test(read(file)));
    // A release is tried after it was published.
    expect(naming.sort()).toEqual([INSTALL, 'docs/releasing.md']);
  });

  it('names the required versions of Node as its refusal does', () => {
    const versions = /requires Node (.*?); this/.exec(nodeFault('18.20.8'))?.[1] as string;
    const naming = PAGES.filter((page) => /\b20\.19\b/.test(read(page)) && !page.startsWith('docs/decisions/'));
    expect(naming.length).toBeGreaterThan(4);
    for (const page of naming) expect(read(page), page).toContain(versions);
  });

  it('shows the format table of this build', () => {
    const rows = FORMATS.map(({ label, extensions, pages: [page] }) => [
      `[${label}](docs/formats/${page}.md)`,
      extensions.map((one) => `\`${one}\``).join(' '),
    ]);
    const wanted = markdownTable(['format', 'extensions'], rows);
    expect(docBlock('README.md', 'formats', wanted), STALE).toBe(wanted);
  });

  it('lists every page in its index under one kind', () => {
    const listed = KINDS.flatMap(([, pages]) => pages());
    expect([...listed].sort()).toEqual(PAGES.filter((page) => page.startsWith('docs/') && page !== INDEX).sort());
    const line = (page: string) => `- [${/^# (.*)$/m.exec(read(page))?.[1]}](${page.slice('docs/'.length)})\n`;
    const wanted = KINDS.map(([kind, pages]) => `\n## ${kind}\n\n${pages().map(line).join('')}`).join('');
    expect(docBlock(INDEX, 'pages', wanted), STALE).toBe(wanted);
  });

  it.each(inFolder('formats')())('tells in %s what is read, what is not, and what to do, before the layout', (page) => {
    const sections = read(page)
      .replace(/```[\s\S]*?```/g, '')
      .split(/^## /m);
    expect(sections.slice(1).map((section) => section.split('\n')[0])).toEqual(FORMAT_SECTIONS);
    const [lead = '', ...bodies] = sections.map((section) => section.slice(section.indexOf('\n')).trim());
    expect(lead, 'the page must begin with what its reader can do').toMatch(/^(?:Open|Write) /);
    expect(bodies.filter((body) => body === '')).toEqual([]);
    expect(bodies[2], 'what to do must be a table').toMatch(/^\| what you see \| what to do \|$/m);
  });

  it('shows excerpts that are equal to their sources', () => {
    const excerpts = PAGES.flatMap((page) => [...read(page).matchAll(/<!-- source: (\S+) -->\n```ts\n([\s\S]*?)```/g)]);
    expect(excerpts.length).toBeGreaterThan(5);
    for (const [, path = '', text = ''] of excerpts) {
      const source = read(path);
      for (const piece of text.split('// …\n')) expect(source, path).toContain(piece);
    }
  });

  it('names every package, and every folder and file directly inside the server and the readers, in the architecture', () => {
    const page = read('docs/architecture.md');
    const names = ['packages', 'packages/server/src', 'packages/readers/src'].flatMap((folder) =>
      readdirSync(resolve(ROOT, folder), { withFileTypes: true }),
    );
    const missing = names.filter((entry) => !page.includes(entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.runIf(existsSync(resolve(ROOT, '.git')))('maps every folder in CONTRIBUTING.md, and no other', () => {
    const shown = foldersOfMap();
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter((folder) => !existsSync(resolve(ROOT, folder)))).toEqual([]);
    expect(foldersToMap().filter((folder) => !shown.includes(folder))).toEqual([]);
  });
});
