import { Argument, Command, Option, type OutputConfiguration } from 'commander';
import {
  type ExportActions,
  exportCommand,
  partsOption,
  pathArgument,
  toIndex,
  withListOptions,
} from './batch-options.js';
import { type CatalogActions, catalogCommand } from './catalog-command.js';
import { type CheckActions, checkCommand } from './check-command.js';
import { SHELLS, type Shell } from './completions/commands.js';
import { type ConformanceActions, conformanceCommand } from './conformance-command.js';
import type { InspectFlags } from './flags.js';
import { toMessage } from './message.js';
import { type ServerActions, serverCommands } from './server-commands.js';
import type { Setting } from './setting.js';
import { printedDefault, SETTINGS } from './setting-list.js';
import { visibleLines } from './visible.js';

/** The actions of the subcommands, from `run.ts`. Each resolves to an exit code. */
export interface Actions extends ServerActions, ExportActions, CatalogActions, CheckActions, ConformanceActions {
  serve(flags: Record<string, unknown>, configFile: string | undefined): Promise<number>;
  inspect(paths: string[], flags: InspectFlags): Promise<number>;
  formats(flags: { json?: boolean }): Promise<number>;
  completions(shell: Shell, program: Command): Promise<number>;
}

/** Messages repeat arguments, which a shell may have completed from file names. */
const VISIBLE_ERRORS: OutputConfiguration = {
  outputError: (text, write) => write(`${toMessage(visibleLines(text.replace(/^error: /, '').trimEnd()))}\n`),
};

/** Creates the command line without side effects, so that tests can compare it with the documentation. */
export function createProgram(version: string, actions: Actions, done: (code: number) => void): Command {
  const program = new Command('acqstore')
    .description('Opens microscope acquisitions and serves their metadata and raw planes over local HTTP.')
    .version(version)
    .exitOverride()
    .configureHelp({ sortSubcommands: false })
    .configureOutput(VISIBLE_ERRORS);
  const commands = [
    serveCommand(actions, done),
    ...serverCommands(actions, done),
    inspectCommand(actions, done),
    catalogCommand(actions, done),
    checkCommand(actions, done),
    exportCommand(actions, done),
    formatsCommand(actions, done),
    conformanceCommand(actions, done),
    completionsCommand(program, actions, done),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  return program;
}

function serveCommand(actions: Actions, done: (code: number) => void): Command {
  const command = new Command('serve').description('start the server');
  for (const setting of SETTINGS) command.addOption(toOption(setting));
  command.option('--config <file>', 'JSON file with settings, named like the flags (environment: ACQSTORE_CONFIG)');
  command.addHelpText('after', HELP_AFTER_SERVE);
  return command.action(async (options: Record<string, unknown>) => {
    const flags = Object.fromEntries(SETTINGS.map(({ name }) => [name, options[camelCase(name)]]));
    done(await actions.serve(flags, options['config'] as string | undefined));
  });
}

const HELP_AFTER_SERVE = `
Each option can also be set in the environment (--session-ttl: ACQSTORE_SESSION_TTL) or in a settings file
({"session-ttl": 900}). Flags override the environment, and the environment overrides the file.
State folder: $XDG_STATE_HOME/acquisition-store (~/.local/state/acquisition-store),
macOS ~/Library/Application Support/acquisition-store, Windows %LOCALAPPDATA%\\acquisition-store.

Examples:
  acqstore serve --open
      Start the server and show the viewer in the browser.
  acqstore serve --port 9000 --root /data/lab --session-ttl 3600
      Use another port, only open files in one folder, keep sessions for an hour.
  acqstore serve --allow-origin https://lab.example
      Let the pages of a website use the server.
  acqstore serve --host 0.0.0.0 --token auto --root /data/lab
      Serve other computers, which must send the token.

Exit codes:
  0    the server was stopped, or a server of this product is already running at the address
  1    the server could not start
  2    an option, environment variable or settings file is invalid
  3    another program uses the address
A second Ctrl-C ends the server by that signal without waiting; shells show exit code 130.`;

function inspectCommand(actions: Actions, done: (code: number) => void): Command {
  const command = new Command('inspect')
    .description('print what the server would answer about files, without a server')
    .addArgument(pathArgument())
    .option('--json', 'print the response of the API, without a session; an array for several files or a folder')
    .addOption(new Option('--jsonl', 'print one line of JSON per file, as soon as it is available').conflicts('json'))
    .option('--metadata', "add the vendor's own names and values: objective, lasers, gains, …")
    .addOption(partsOption())
    .option('-s, --scene <index>', 'scene, counted from 0', toIndex)
    .option('-t, --time <index>', 'time point, counted from 0', toIndex)
    .option('-z, --z <index>', 'Z section, counted from 0', toIndex);
  return withListOptions(command).action(async (paths: string[], flags: InspectFlags) =>
    done(await actions.inspect(paths, flags)),
  );
}

function formatsCommand(actions: Actions, done: (code: number) => void): Command {
  return new Command('formats')
    .description('list the formats and extensions that can be read')
    .option('--json', 'as JSON')
    .action(async (flags) => done(await actions.formats(flags)));
}

function completionsCommand(program: Command, actions: Actions, done: (code: number) => void): Command {
  return new Command('completions')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell that runs the script').choices(SHELLS))
    .addHelpText('after', HELP_AFTER_COMPLETIONS)
    .action(async (shell: Shell) => done(await actions.completions(shell, program)));
}

const HELP_AFTER_COMPLETIONS = `
Load it in each new shell:
  bash  echo 'source <(acqstore completions bash)' >> ~/.bashrc
  zsh   echo 'source <(acqstore completions zsh)' >> ~/.zshrc    (after compinit)
  fish  acqstore completions fish > ~/.config/fish/completions/acqstore.fish`;

function toOption(setting: Setting): Option {
  const flag = setting.placeholder ? `--${setting.name} <${setting.placeholder}>` : `--${setting.name}`;
  const option = new Option(flag, `${setting.description} (default: ${printedDefault(setting)})`);
  if (setting.kind === 'list' || setting.kind === 'paths') option.argParser(collect);
  return option;
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
