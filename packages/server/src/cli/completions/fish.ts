import type { CompletedCommand, CompletedOption, Values } from './commands.js';

/** Returns a completion script for fish 3.0 and newer. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = [
    '# Completions of acqstore for fish: acqstore completions fish | source',
    'complete -c acqstore -e',
    'complete -c acqstore -f',
    `complete -c acqstore -n __fish_use_subcommand -s h -l help -d 'display help'`,
    `complete -c acqstore -n __fish_use_subcommand -s V -l version -d 'output the version number'`,
    ...commands.map(
      ({ name, description }) => `complete -c acqstore -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ),
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ name, options, values }: CompletedCommand): string[] {
  const start = `complete -c acqstore -n '__fish_seen_subcommand_from ${name}'`;
  const lines = options.map((option) => `${start} ${optionArguments(option)}`);
  return values === undefined || values === 'unknown' ? lines : [...lines, `${start} ${valueArguments(values)}`];
}

function optionArguments({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const required = value ? [value.values === 'files' ? '-r' : '-x', valueArguments(value.values)] : [];
  return [...flags, ...required.filter((part) => part !== ''), '-d', quoted(description)].join(' ');
}

function valueArguments(values: Values): string {
  if (values === 'folders') return "-a '(__fish_complete_directories)'";
  if (values === 'files') return '-F';
  return values === 'unknown' ? '' : `-a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
