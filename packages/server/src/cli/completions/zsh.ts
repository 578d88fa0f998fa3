import type { CompletedCommand, CompletedOption, Values } from './commands.js';

/** Returns a completion script for zsh. Source it after compinit, or save it as `_acqstore` in a folder of fpath. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef acqstore
# Completions of acqstore for zsh: source <(acqstore completions zsh), after compinit

_acqstore() {
  local state
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}\n`).join('')}  )
  _arguments -C '(- *)'{-h,--help}'[display help]' '(- *)'{-V,--version}'[output the version number]' \\
    '1: :->command' '*:: :->arguments'
  case $state in
  command) _describe -t commands 'command' commands ;;
  arguments)
    case $words[1] in
${commands.map(commandCase).join('')}    esac
    ;;
  esac
}

if [ "$funcstack[1]" = _acqstore ]; then _acqstore "$@"; else compdef _acqstore acqstore; fi
`;
}

function commandCase({ name, options, values }: CompletedCommand): string {
  const specs = [...options.flatMap(optionSpecs), ...argumentSpec(values)];
  return `    ${name}) _arguments -s ${specs.map((spec) => `\\\n      ${quoted(spec)}`).join(' ')} ;;\n`;
}

/** Returns `--name=[description]:placeholder:action` for each name. Options with a value can be repeated. */
function optionSpecs({ names, description, value }: CompletedOption): string[] {
  const text = `[${description.replace(/[[\]\\]/g, '\\$&')}]`;
  return names.map((name) => {
    if (!value) return `${name}${text}`;
    return `*${name}${name.startsWith('--') ? '=' : ''}${text}:${value.placeholder}:${action(value.values)}`;
  });
}

function argumentSpec(values: Values | undefined): string[] {
  return values === undefined ? [] : [`*::argument:${action(values)}`];
}

function action(values: Values): string {
  if (values === 'folders') return '_files -/';
  if (values === 'files') return '_files';
  return values === 'unknown' ? ' ' : `(${values.join(' ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
