import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.js';
import { createProgram } from '../../src/cli/program.js';
import { environmentName, printedDefault, SETTINGS } from '../../src/cli/setting-list.js';
import { FORMATS } from '../../src/formats/index.js';
import { docBlock, markdownTable } from '../support/doc-blocks.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(resolve(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const STALE = 'run: UPDATE_DOCS=1 npx vitest run tests/policy';
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');

const actions = {
  serve: async () => EXIT.ok,
  status: async () => EXIT.ok,
  stop: async () => EXIT.ok,
  inspect: async () => EXIT.ok,
  formats: async () => EXIT.ok,
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
    const asked: unknown[] = [];
    const stub = { ...actions, serve: async (flags: object) => asked.push(flags) && EXIT.ok };
    const own = createProgram('0.0.0', stub, () => {});
    const serve = own.commands.find((one) => one.name() === 'serve');
    serve?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const examples = [...help.matchAll(/^ {2}acqstore (.*)$/gm)].map(([, text]) => text as string);
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) await own.parseAsync(example.split(' '), { from: 'user' });
    expect(asked).toHaveLength(examples.length);
    const codes = [...help.matchAll(/^ {2}(\d+) {2,}\S/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it('shows the format table of this build', () => {
    const rows = FORMATS.map(({ label, extensions }) => [label, extensions.map((one) => `\`${one}\``).join(' ')]);
    const wanted = markdownTable(['format', 'extensions'], rows);
    expect(docBlock('README.md', 'formats', wanted), STALE).toBe(wanted);
  });

  it('reaches every page from its index', () => {
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').sort();
    const line = (page: string) => `- [${/^# (.*)$/m.exec(read(page))?.[1]}](${page.slice('docs/'.length)})\n`;
    const wanted = pages.map(line).join('');
    expect(docBlock('docs/README.md', 'pages', wanted), STALE).toBe(wanted);
  });

  it.each(PAGES)('%s links only to what is there', (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
    for (const target of targets.filter((one) => !/^https?:/.test(one))) {
      const path = resolve(ROOT, dirname(page), target);
      expect(existsSync(path), `${page} links to ${relative(ROOT, path)}`).toBe(true);
    }
  });
});
