import type { Command } from 'commander';
import { bashScript } from './bash.js';
import { type CompletedCommand, listCommands, type Shell } from './commands.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Record<Shell, (commands: readonly CompletedCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Returns the script that completes the commands and options of `program` in a shell. */
export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](listCommands(program));
}
