import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOG_LEVELS } from '../../packages/server/src/cli/serve-settings.js';
import { SETTINGS } from '../../packages/server/src/cli/setting-list.js';
import { Cli } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const COMMANDS = ['serve', 'status', 'stop', 'token', 'inspect', 'export', 'formats', 'completions', 'help'];
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
for (const shell of ['bash', 'zsh', 'fish']) {
  if (!has(shell)) console.warn(`NO ${shell.toUpperCase()}: its completions were not tested`);
}

const folder = tempFolder();
const cli = new Cli();
beforeAll(async () => {
  mkdirSync(join(folder, 'sub folder'));
  mkdirSync(join(folder, 'zsh'));
  writeTemp(folder, 'scan one.tif', '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await cli.run(['completions', shell]);
    expect([code, stderr]).toEqual([0, '']);
    writeTemp(folder, `acqstore.${shell}`, stdout);
  }
});
afterAll(() => cli.close());

it('offers bash, zsh and fish', async () => {
  const { code, stderr } = await cli.run(['completions', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
});

/** Completions of a line in each shell, sorted; a blank at its end starts a new word. */
type Complete = (line: string) => string[];

describe.each([
  ['bash', inBash],
  ['fish', inFish],
] as [string, Complete][])('in %s', (shell, complete) => {
  const serveFlags = [...SETTINGS.map(({ name }) => `--${name}`), '--config', '--help'].sort();

  it.runIf(has(shell))('completes commands, options and values', () => {
    expect(complete('acqstore ')).toEqual(expect.arrayContaining(COMMANDS));
    expect(complete('acqstore st')).toEqual(['status', 'stop']);
    expect(complete('acqstore serve --').filter((word) => word.startsWith('--'))).toEqual(serveFlags);
    expect(complete('acqstore serve --port 1 --log-level ').filter((one) => one !== '')).toEqual(
      [...LOG_LEVELS].sort(),
    );
    expect(complete('acqstore export --to ome-')).toEqual(['ome-tiff', 'ome-zarr']);
    expect(complete('acqstore completions ')).toEqual(['bash', 'fish', 'zsh']);
    expect(complete('acqstore help ins')).toEqual(['inspect']);
    expect(complete('acqstore stop --n')).toEqual(['--now']);
    expect(complete('acqstore formats ')).toEqual([]);
    expect(complete('acqstore serve --port ')).toEqual([]);
  });

  it.runIf(has(shell))('completes folders, and files', () => {
    expect(complete('acqstore serve --root s').map((name) => name.replace(/\/$/, ''))).toEqual(['sub folder']);
    expect(complete('acqstore inspect scan')).toEqual(['scan one.tif']);
    expect(complete('acqstore export --from scan')).toEqual(['scan one.tif']);
  });
});

/** As bash calls the function: with the words of the line. `compopt` works only below the keyboard. */
function inBash(line: string): string[] {
  const script = `
    source "$1"; compopt() { return 1; }
    words=($2); [[ $2 == *' ' ]] && words+=('')
    COMP_WORDS=("\${words[@]}"); COMP_CWORD=$((\${#words[@]} - 1))
    _acqstore; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--noprofile', '--norc', '-c', script, 'bash', 'acqstore.bash', line];
  return sorted(execFileSync('bash', args, { cwd: folder, encoding: 'utf8' }));
}

function inFish(line: string): string[] {
  const script = 'source acqstore.fish; complete -C $argv[1]';
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder };
  const out = execFileSync('fish', ['--no-config', '-c', script, line], { cwd: folder, env, encoding: 'utf8' });
  return sorted(out.replace(/\t.*$/gm, ''));
}

function sorted(lines: string): string[] {
  return [...new Set(lines.split('\n').filter((line) => line !== ''))].sort();
}

/** Ctrl-X q appends the line to the file `typed` and empties it. */
const SETUP: Record<string, string> = {
  bash: `
    PS1='ready>'; source acqstore.bash; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
    show() { printf '%s\\n' "$READLINE_LINE" >> typed; READLINE_LINE=; }; bind -x '"\\C-xq": show'`,
  zsh: `
    PS1='ready>'; unsetopt beep; autoload -Uz compinit; compinit -u -D; source ./acqstore.zsh
    show() { print -r -- "$BUFFER" >> typed; BUFFER=; zle reset-prompt }; zle -N show; bindkey '^Xq' show`,
};
const SETUP_FILE: Record<string, string> = { bash: 'setup.bash', zsh: 'zsh/.zshrc' };
const START: Record<string, string> = {
  bash: 'bash --noprofile --rcfile setup.bash -i',
  zsh: 'ZDOTDIR=zsh zsh -i',
};
const terminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
if (!terminal) console.warn('NO script OF UTIL-LINUX: completions were not tested in a terminal');

it.each(['bash', 'zsh'].filter((shell) => terminal && has(shell)))(
  'completes what is typed in a %s terminal',
  async (shell) => {
    writeTemp(folder, SETUP_FILE[shell] as string, SETUP[shell] as string);
    writeTemp(folder, 'typed', '');
    const lines: [typed: string, completed: string][] = [
      ['acqstore stat', 'acqstore status'],
      ['acqstore stop --n', 'acqstore stop --now'],
      ['acqstore serve --log-level=de', 'acqstore serve --log-level=debug'],
      ['acqstore serve --root su', 'acqstore serve --root sub\\ folder/'],
      ['acqstore inspect --jsonl sca', 'acqstore inspect --jsonl scan\\ one.tif'],
      ['acqstore completions f', 'acqstore completions fish'],
    ];
    const shown = await typeInto(
      START[shell] as string,
      lines.map(([typed]) => typed),
    );
    expect(shown).toEqual(lines.map(([, completed]) => completed));
  },
);

/** Types each line into a shell in a terminal of its own, completes it with Tab, and returns what became of them. */
async function typeInto(command: string, lines: string[]): Promise<string[]> {
  const env = { ...process.env, TERM: 'xterm' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = new Promise((done) => child.once('close', done));
  const typed = () => readFileSync(join(folder, 'typed'), 'utf8').split('\n').slice(0, -1);
  const waiting = { timeout: 30_000, interval: 50 };
  try {
    await expect.poll(() => screen, waiting).toContain('ready>');
    for (const [i, line] of lines.entries()) {
      child.stdin.write(`${line}\t\x18q`);
      await expect.poll(() => typed().length, waiting).toBe(i + 1);
    }
    return typed().map((line) => line.trimEnd());
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
