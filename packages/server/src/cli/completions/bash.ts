import type { CompletedCommand, CompletedOption, Values } from './commands.js';

/** Returns a completion script for bash 3.2 (macOS) and newer. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completions of acqstore for bash: source <(acqstore completions bash)
_acqstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} name= i
  COMPREPLY=()
  # bash takes "--root=x" apart at the equals sign.
  if [ "$current" = = ]; then current=; fi
  if [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in -*) ;; *) name=\${COMP_WORDS[i]}; break ;; esac
  done
  case $name in
  '') _acqstore_words "${names} --help --version" ;;
${commands.map(commandCase).join('')}  esac
}

_acqstore_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }

# The path completion of the shell quotes special characters; bash 3.2 does not offer it to scripts.
_acqstore_files() {
  local IFS=$'\\n'
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
}

_acqstore_folders() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$current"))
}

complete -F _acqstore acqstore
`;
}

function commandCase({ name, options, values }: CompletedCommand): string {
  const words = options.flatMap((option) => option.names).join(' ');
  const offers = options.filter(({ value }) => value !== undefined).map(valueCase);
  return `  ${name})
    case $previous in
${offers.join('')}    esac
    case $current in
    -*) _acqstore_words "${words}" ;;
    *) ${offer(values)} ;;
    esac
    ;;
`;
}

function valueCase({ names, value }: CompletedOption): string {
  return `    ${names.join(' | ')}) ${offer(value?.values)}; return ;;\n`;
}

function offer(values: Values | undefined): string {
  if (values === undefined || values === 'unknown') return ':';
  if (values === 'folders') return '_acqstore_folders';
  return values === 'files' ? '_acqstore_files' : `_acqstore_words "${values.join(' ')}"`;
}
