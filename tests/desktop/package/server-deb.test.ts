/** The .deb of the server without the window: installed by apt, started by an ordinary user, and removed. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { COMMANDS } from '../../../packages/desktop/src/commands.js';
import { environmentName, SETTINGS } from '../../../packages/server/src/cli/setting-list.js';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { REPOSITORY, SAMPLE } from '../../support/cli.js';
import { missingProgram } from '../../support/deployment.js';
import { describeWithPrograms, programPath } from '../../support/desktop.js';
import { freePort } from '../../support/supervisor.js';
import { tempFolder } from '../../support/temp.js';
import { AS_NOBODY, apt, filesOf, installFile, isInstalled, NOBODY, PACKAGES, whyNotInstalled } from './apt.js';
import { addressOf, TARGET } from './built.js';

const [APPLICATION, SERVER] = PACKAGES;
const UNIT = '/usr/lib/systemd/system/acqstore@.service';
const DOCS = `/usr/share/doc/${SERVER}`;
const GUIDE = join(REPOSITORY, 'docs', 'operating.md');
const folder = tempFolder();
const home = join(folder, 'home');
const env = { PATH: '/nowhere', HOME: home };
const output = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' }).stdout;
const run = (...args: string[]) => spawnSync('/usr/bin/acqstore', args, { env, encoding: 'utf8' });
const installedNames = () => output('dpkg-query', '-W', '-f', `\${Package}\n`).split('\n');
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

const missing = whyNotInstalled();
const programs = missing === undefined ? ['apt-get', 'setpriv', 'gcc', 'bash'] : [missing];
const [noAnalyzer, noLintian, noManual] = ['systemd-analyze', 'lintian', 'man'].map((name) => missingProgram(name));
if (noAnalyzer) console.warn('SKIPPED: the unit in the .deb is not verified, because systemd-analyze is not installed');
if (noLintian) console.warn('SKIPPED: the .deb of the server is not checked by lintian, which is not installed');
if (noManual) console.warn('SKIPPED: the manual in the .deb is not shown, because man is not installed');

describeWithPrograms('the installed .deb of the server', programs, () => {
  let deb: string;
  let applicationDeb: string;
  let before: string[];
  let files: string[];

  beforeAll(async () => {
    buildDesktop();
    const built = (await buildPackages(TARGET, ['server-deb', 'deb'])) as [string, string];
    // A second build empties the folder.
    [deb, applicationDeb] = built.map((path, i) => {
      const copy = join(folder, `${i}.deb`);
      copyFileSync(path, copy);
      return copy;
    }) as [string, string];
    before = installedNames();
    installFile(deb);
    files = filesOf(SERVER);
    mkdirSync(home);
    for (const path of [folder, home]) chownSync(path, NOBODY, NOBODY);
    chmodSync(folder, 0o700);
  });
  afterAll(() => {
    apt('purge', SERVER);
    apt('purge', APPLICATION);
  });

  it('has its files as they were packed, and brings no other package', () => {
    expect(output('dpkg', '-V', SERVER)).toBe('');
    expect(installedNames().filter((name) => !before.includes(name))).toEqual([SERVER]);
    expect(output('dpkg-deb', '-f', deb, 'Depends')).toBe('libc6 (>= 2.28), libstdc++6 (>= 8)\n');
    expect(output('dpkg-deb', '-f', deb, 'Recommends').trim()).toBe('');
    expect(files).toEqual(expect.arrayContaining(['/usr/bin/acqstore', UNIT, `${DOCS}/copyright`]));
    expect(files.filter((path) => /\.desktop$|hvshell|\/icons\/|\/mime\//.test(path))).toEqual([]);
  });

  it('has the license of everything inside, and what settings of the server need', () => {
    expect(readFileSync(join(DOCS, 'copyright'), 'utf8')).toContain('Permission is hereby granted');
    const { components } = JSON.parse(readFileSync(join(DOCS, 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'fastify', 'prom-client', 'ioredis', 'jose']));
    const licenses = readFileSync(join(DOCS, 'licenses.txt'), 'utf8');
    for (const { name, version } of components) expect(licenses).toContain(`${name} ${version}\n\n`);
  });

  it('has the command of the package, which needs no Node', () => {
    expect(run('--version').stdout.trim()).toBe(packageVersion());
    expect(JSON.parse(run('inspect', '--json', SAMPLE).stdout)).toMatchObject({ ok: true });
    // With the window, a path would be opened in it.
    expect(run(SAMPLE)).toMatchObject({ status: 2 });
  });

  it('has a unit that starts a server for an ordinary user, and is not enabled', async () => {
    const unit = readFileSync(UNIT, 'utf8');
    expect(unit).not.toMatch(/LoadCredential|session-store|docs\//);
    const enabled = readdirSync('/etc/systemd', { recursive: true, encoding: 'utf8' });
    expect(enabled.filter((path) => path.includes('acqstore@'))).toEqual([]);
    const [, words = ''] = /^ExecStart=(\/usr\/bin\/acqstore serve .*)$/m.exec(unit) ?? [];
    expect(words).toBe('/usr/bin/acqstore serve --port %i --state-dir /var/lib/acqstore-%i');
    const port = await freePort();
    const command = words.replace('/var/lib', home).replaceAll('%i', String(port)).split(' ');
    const settings = { ACQSTORE_OPS_LISTEN: `127.0.0.1:${await freePort()}` };
    const server = spawn(programPath('setpriv')!, [...AS_NOBODY, ...command], {
      env: { ...env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    try {
      const url = await addressOf(server);
      expect(url).toBe(`http://127.0.0.1:${port}`);
      await expectPlane(url);
      expect((await fetch(`http://${settings.ACQSTORE_OPS_LISTEN}/metrics`)).status).toBe(200);
    } finally {
      server.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });

  async function expectPlane(url: string): Promise<void> {
    const { examples } = (await (await fetch(`${url}/api/v2/examples`)).json()) as { examples: { path: string }[] };
    expect(examples[0]?.path).toContain(`/usr/lib/${SERVER}/examples/`);
    const opened = await fetch(`${url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: examples[0]?.path }),
    });
    const { plane, channels } = (await opened.json()) as OpenResponse;
    expect(plane.shape).toEqual([4000, 96]);
    const samples = new Float32Array(await (await fetch(url + channels[0]!.dataUrl)).arrayBuffer());
    expect(samples.length).toBe(4000 * 96);
    expect(samples.some((sample) => sample > 0)).toBe(true);
  }

  it.skipIf(noAnalyzer)('has a unit that systemd accepts, also with users, and that exposes little', () => {
    const [, users = ''] =
      /systemctl edit acqstore@`:\n\n```text\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
    const [, variable] = /^Environment=(\w+)=%d\/tokens$/m.exec(users) ?? [];
    expect(SETTINGS.map(environmentName)).toContain(variable);
    const file = join(folder, 'acqstore@8767.service');
    writeFileSync(file, `${readFileSync(UNIT, 'utf8')}\n${users}`);
    execFileSync('systemd-analyze', ['verify', '--man=no', file], { stdio: 'pipe' });
    // The exposure that systemd prints, times ten.
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], { stdio: 'pipe' });
  });

  it('completes commands in bash', () => {
    const script = `. /usr/share/bash-completion/completions/acqstore
      COMP_WORDS=(acqstore ins); COMP_CWORD=1; _acqstore; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(output('bash', '-c', script)).toBe('inspect\n');
    expect(files.filter((path) => /completions/.test(path))).toHaveLength(3);
  });

  it.skipIf(noManual)('has a manual of every command, which does not speak of the window', () => {
    const manual = spawnSync('man', ['--warnings', '-l', '/usr/share/man/man1/acqstore.1.gz'], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '120', MAN_KEEP_FORMATTING: '', LC_ALL: 'C.UTF-8' },
    });
    expect(manual.stderr).toBe('');
    expect(COMMANDS.filter((name) => name !== 'help' && !manual.stdout.includes(name))).toEqual([]);
    expect(manual.stdout).not.toMatch(/window/i);
  });

  it.skipIf(noLintian)('is accepted by lintian', () => {
    const checked = spawnSync('lintian', ['--allow-root', '--tag-display-limit', '0', deb], { encoding: 'utf8' });
    expect(checked.stdout + checked.stderr).toBe('');
  });

  it('takes the place of the desktop application, and the other way round', () => {
    const program = () => readlinkSync('/usr/bin/acqstore');
    installFile(applicationDeb);
    expect([isInstalled(APPLICATION), isInstalled(SERVER), program()]).toEqual([
      true,
      false,
      `../lib/${APPLICATION}/acqstore`,
    ]);
    installFile(deb);
    expect([isInstalled(APPLICATION), isInstalled(SERVER), program()]).toEqual([
      false,
      true,
      `../lib/${SERVER}/acqstore`,
    ]);
    expect(output('dpkg', '-V', SERVER)).toBe('');
  });

  it('leaves no file when it is removed', () => {
    const removing = apt('purge', SERVER);
    expect(removing.status, removing.stderr).toBe(0);
    expect(files.filter((path) => existsSync(path))).toEqual([]);
    expect([`/usr/lib/${SERVER}`, DOCS].filter((path) => existsSync(path))).toEqual([]);
    expect(spawnSync('dpkg', ['-s', SERVER]).status).toBe(1);
  });

  it('stops what runs before it is removed, and deletes its state when it is purged', () => {
    const root = join(folder, 'root');
    const scripts = join(folder, 'scripts');
    execFileSync('dpkg-deb', ['-e', deb, scripts]);
    const state = join(root, 'var/lib/private/acqstore-8767');
    const wanted = join(root, 'etc/systemd/system/multi-user.target.wants');
    for (const path of [state, wanted, join(root, 'run/systemd/system'), join(root, 'bin')]) {
      mkdirSync(path, { recursive: true });
    }
    writeFileSync(join(wanted, 'acqstore@8767.service'), '');
    const asked = join(root, 'asked');
    for (const program of ['systemctl', 'deb-systemd-invoke']) {
      writeFileSync(join(root, 'bin', program), `#!/bin/sh\necho "${program} $*" >>'${asked}'\n`, { mode: 0o755 });
    }
    const script = (name: string, action: string) => {
      const text = readFileSync(join(scripts, name), 'utf8').replace(/ \/(?=run|etc|var)/g, ` ${root}/`);
      rmSync(asked, { force: true });
      const path = `${join(root, 'bin')}:${process.env['PATH']}`;
      execFileSync('sh', ['-c', text, name, action], { env: { ...process.env, PATH: path } });
      return existsSync(asked) ? readFileSync(asked, 'utf8') : '';
    };
    const reloads = 'systemctl --system daemon-reload\n';
    expect(script('postinst', 'configure')).toBe(reloads);
    expect(script('prerm', 'upgrade')).toBe('');
    expect(script('prerm', 'remove')).toBe('deb-systemd-invoke stop acqstore@*.service\n');
    expect(script('postrm', 'remove')).toBe(reloads);
    expect(existsSync(state)).toBe(true);
    expect(script('postrm', 'purge')).toBe(reloads);
    expect([existsSync(state), readdirSync(wanted)]).toEqual([false, []]);
  });

  it('has the same bytes when it is built again', async () => {
    const [again] = (await buildPackages(TARGET, ['server-deb'])) as [string];
    expect(sha256(again)).toBe(sha256(deb));
  }, 600_000);
});
