/** The executable: the window of the application, or a command of `acqstore`. */
import { readRequest } from './commands.js';

const args = process.argv.slice(2);

async function main(): Promise<number> {
  const request = readRequest(args, process.cwd());
  if (request.kind === 'command') {
    const { commandLine } = await import('../../server/dist/cli/command-line.js');
    return commandLine(args);
  }
  const { startDesktop } = await import('./start.js');
  return startDesktop(request.file);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(`acqstore: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  },
);
