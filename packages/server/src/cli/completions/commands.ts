import type { Command, Option } from 'commander';
import { LOG_LEVELS } from '../serve-settings.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Completions of a value: paths, words of a list, or none. */
export type Values = 'files' | 'folders' | 'unknown' | readonly string[];

export interface CompletedOption {
  /** The long name, and the short name if there is one. */
  names: string[];
  description: string;
  /** The value of the option; undefined for a switch. */
  value: { placeholder: string; values: Values } | undefined;
}

export interface CompletedCommand {
  name: string;
  description: string;
  options: CompletedOption[];
  /** Completions of the arguments; undefined for a command without arguments. */
  values: Values | undefined;
}

/** Completions by the placeholder of the value. */
const VALUES: Record<string, Values> = {
  folder: 'folders',
  file: 'files',
  path: 'files',
  list: 'files',
  lines: 'files',
  level: LOG_LEVELS,
};

/** Lists the visible commands of a program with their options and arguments. */
export function listCommands(program: Command): CompletedCommand[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  return commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(toOption),
    values: command.name() === 'help' ? commands.map((listed) => listed.name()) : argumentValues(command),
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
