import { commandLine } from '../../dist/cli/command-line.js';

void commandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
