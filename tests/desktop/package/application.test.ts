/** The desktop application as it is installed: the executable on a virtual screen, with its own window and server. */
import { type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY, SAMPLE } from '../../support/cli.js';
import { type Desktop, describeWithPrograms, startDesktop, until } from '../../support/desktop.js';
import { builtExecutable, whyNotBuilt } from './built.js';

const problem = whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const programs = problem === undefined ? ['Xvfb', 'openbox', 'xdotool', 'gcc'] : ['Node of the desktop application'];
const TITLE = 'Acquisition Store';

describeWithPrograms('the application', programs, () => {
  let desktop: Desktop;
  let program: string;
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  const start = (...args: string[]) =>
    spawn(program, args, { env: { ...desktop.env, XDG_STATE_HOME: join(desktop.folder, 'state') }, stdio });
  const ended = (child: ReturnType<typeof start>) => new Promise((resolve) => child.once('exit', resolve));
  const others = () => desktop.processes().filter(({ command }) => !/openbox|Xvfb/.test(command));
  const instances = () => {
    const folder = join(desktop.folder, 'state', 'acquisition-store');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('instance-')) : [];
    return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { url: string });
  };

  beforeAll(async () => {
    const built = await builtExecutable();
    desktop = await startDesktop();
    const folder = join(desktop.folder, 'program');
    mkdirSync(folder);
    program = join(folder, 'acqstore');
    copyFileSync(built.path, program);
    const source = join(REPOSITORY, 'packages/desktop/shell/hvshell.c');
    expect(spawnSync('gcc', ['-o', join(folder, 'hvshell'), source]).status).toBe(0);
  });
  afterAll(async () => {
    await desktop?.stop();
  });

  it('shows its window, runs the server, takes a file of a second start, and ends whole when it is closed', async () => {
    const first = start();
    const end = ended(first);
    await until('the window', () => desktop.windows(TITLE).length > 0);
    await until('the server', () => instances()[0]);
    const second = start(SAMPLE);
    const [code, said] = await Promise.all([ended(second), text(second.stdout!)]);
    expect([code, said]).toEqual([0, `Acquisition Store is open already: its window opens ${SAMPLE}.\n`]);
    expect(desktop.windows(TITLE)).toHaveLength(1);
    const log = join(desktop.folder, 'state', 'acquisition-store', 'acqstore.log');
    await until('the file', () => /"url":"\/api\/v2\/open","status":200/.test(readFileSync(log, 'utf8')));
    expect(readFileSync(log, 'utf8')).toContain(`"path":"${SAMPLE}","msg":"opening"`);
    spawnSync('xdotool', ['search', '--onlyvisible', '--name', TITLE, 'windowclose'], { env: desktop.env });
    expect(await end).toBe(0);
    await until('the end of its processes', () => others().length === 0);
    expect(instances()).toEqual([]);
    expect(existsSync(join(desktop.folder, 'acquisition-store', 'window.json'))).toBe(false);
  });
});
