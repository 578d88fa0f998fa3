import { Command, InvalidArgumentError } from 'commander';
import type { McpFlags, StateFlags, StatusFlags, StopFlags, TokenFlags } from './flags.js';

export interface ServerActions {
  status(flags: StatusFlags & StateFlags): Promise<number>;
  stop(flags: StopFlags & StateFlags): Promise<number>;
  token(name: string, flags: TokenFlags): Promise<number>;
  mcp(flags: McpFlags): Promise<number>;
}

/**
 * Creates the commands for running servers: `acqstore status`, `acqstore stop`, `acqstore mcp` for assistants that use one,
 * and `acqstore token` for their users.
 */
export function serverCommands(actions: ServerActions, done: (code: number) => void): Command[] {
  const status = new Command('status')
    .description('list the running servers of this user')
    .option('--json', 'as JSON')
    .option('--port <number>', 'only the server at this port', toPort)
    .action(async (flags: StatusFlags & StateFlags) => done(await actions.status(flags)));
  const stop = new Command('stop')
    .description('stop a running server of this user and wait until it has ended')
    .option('--port <number>', 'stop the server at this port, when several are running', toPort)
    .option('--all', 'stop all servers of this user')
    .option('--now', 'stop without waiting for downloads')
    .option('--timeout <seconds>', 'time limit for a server to end', toSeconds, 30)
    .action(async (flags: StopFlags & StateFlags) => done(await actions.stop(flags)));
  return [...[status, stop, mcpCommand(actions, done)].map(withStateOptions), tokenCommand(actions, done)];
}

function mcpCommand(actions: ServerActions, done: (code: number) => void): Command {
  return new Command('mcp')
    .description('give an assistant tools over standard input and output (Model Context Protocol)')
    .option('--root <folder>', 'start a server that only opens paths inside this folder (repeatable)', collect)
    .option('--export-folder <folder>', 'let the assistant write files into this folder; it cannot write without it')
    .option('--port <number>', 'use the running server at this port, when several are running', toPort)
    .addHelpText('after', HELP_AFTER_MCP)
    .action(async (flags: McpFlags) => done(await actions.mcp(flags)));
}

const HELP_AFTER_MCP = `
Assistants start this command themselves. It uses the running server of this user, or starts one for itself when none is running
or --root is given. Standard output is for the protocol; messages go to standard error.

Example of the settings of an assistant:
  {"mcpServers": {"acquisitions": {"command": "acqstore", "args": ["mcp", "--root", "/data"]}}}`;

function tokenCommand(actions: ServerActions, done: (code: number) => void): Command {
  return new Command('token')
    .description('make a token for a user of a server with --tokens-file')
    .argument('<name>', 'name of the user or program: letters, digits and . _ @ -')
    .option('--root <folder>', 'confine the user to this folder (repeatable)', collect)
    .option('--expires <date>', 'last moment of the token, for example 2027-01-01')
    .addHelpText('after', HELP_AFTER_TOKEN)
    .action(async (name: string, flags: TokenFlags) => done(await actions.token(name, flags)));
}

const HELP_AFTER_TOKEN = `
Prints the line for the tokens file, which has only the hash of the token, and the token itself on standard error.

Example:
  acqstore token robot-7 --root /data/robot --expires 2027-01-01 >> /etc/acqstore/tokens.jsonl`;

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function withStateOptions(command: Command): Command {
  return command
    .option('--state-dir <folder>', 'state folder of the server, as given to serve')
    .option('--config <file>', 'settings file of the server, as given to serve');
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError(`"${text}" is not a port.`);
  return port;
}

function toSeconds(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a number of seconds.`);
  return Number(text);
}
