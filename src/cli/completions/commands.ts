import type { Command, Option } from 'commander';
import { LOG_LEVELS } from '../serve-settings.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What can stand for a value: paths, words of a list, or something that nobody can guess. */
export type Values = 'files' | 'folders' | 'unknown' | readonly string[];

export interface CompletedOption {
  /** `--json`, and `-j` where there is one. */
  names: string[];
  description: string;
  /** Undefined for a switch. */
  value: { placeholder: string; values: Values } | undefined;
}

export interface CompletedCommand {
  name: string;
  description: string;
  options: CompletedOption[];
  /** Arguments; undefined for a command without any. */
  values: Values | undefined;
}

/** By the placeholder of the value. */
const VALUES: Record<string, Values> = {
  folder: 'folders',
  file: 'files',
  path: 'files',
  level: LOG_LEVELS,
};

/** Reads from a program what its completions offer: every visible command with its options and arguments. */
export function listCommands(program: Command): CompletedCommand[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  return commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(toOption),
    values: command.name() === 'help' ? commands.map((one) => one.name()) : argumentValues(command),
  }));
}

function toOption(option: Option): CompletedOption {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const [, placeholder] = /<([^>.]+)/.exec(option.flags) ?? [];
  const { description } = option;
  if (placeholder === undefined) return { names, description, value: undefined };
  return { names, description, value: { placeholder, values: option.argChoices ?? VALUES[placeholder] ?? 'unknown' } };
}

function argumentValues(command: Command): Values | undefined {
  const [argument] = command.registeredArguments;
  if (!argument) return undefined;
  return argument.argChoices ?? VALUES[argument.name()] ?? 'unknown';
}
