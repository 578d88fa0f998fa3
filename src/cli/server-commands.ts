import { Command, InvalidArgumentError } from 'commander';
import type { StateFlags, StatusFlags, StopFlags } from './flags.js';

export interface ServerActions {
  status(flags: StatusFlags & StateFlags): Promise<number>;
  stop(flags: StopFlags & StateFlags): Promise<number>;
}

/** Creates the commands for running servers: `acqstore status` and `acqstore stop`. */
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
  return [status, stop].map(withStateOptions);
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
