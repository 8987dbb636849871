import type { NameKind } from './names.ts';
import type { CompletedOption, CompletedVerb, Names } from './tree.ts';

/** The supported shells, each with the function that creates its completion script. */
export const SCRIPTS = { bash, zsh, fish } as const;
export type Shell = keyof typeof SCRIPTS;

function bash(verbs: readonly CompletedVerb[]): string {
  return `# Completion of jobledger for bash: source <(jobledger completion bash)
_jobledger() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" verb="" word words=""
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in -*) continue ;; esac
    verb="\${verb:+$verb }$word"
    case "$verb" in ${verbs
      .filter((each) => hasVerbs(each, verbs))
      .map(({ name }) => name)
      .join('|')}) ;; *) break ;; esac
  done
  case "$verb $previous" in
${verbs.flatMap(bashValues).join('\n')}
  esac
  case "$verb" in
    "") words="${firstWords(verbs)} help --help --version" ;;
    help) words="${firstWords(verbs)}" ;;
${verbs.map(bashWords).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _jobledger jobledger kubectl-jobledger
`;
}

function bashValues({ name, options }: CompletedVerb): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === 'none') return [];
    const pattern = flags.map((flag) => `"${name} ${flag}"`).join('|');
    const reply =
      value === 'any'
        ? 'COMPREPLY=()'
        : value === 'file'
          ? 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))'
          : `COMPREPLY=($(compgen -W "${isNames(value) ? bashNames(value.of) : value.join(' ')}" -- "$current"))`;
    return [`    ${pattern}) ${reply}; return ;;`];
  });
}

function bashWords({ name, options, words, names }: CompletedVerb): string {
  const all = [...words, ...longFlags(options), '--help'];
  // The script asks for names only if the word does not begin an option.
  const asked = names === null ? '' : `; [[ "$current" == -* ]] || words="$words ${bashNames(names)}"`;
  return `    "${name}") words="${[...new Set(all)].join(' ')}"${asked} ;;`;
}

function bashNames(kind: NameKind): string {
  return `$("\${COMP_WORDS[0]}" __complete ${kind} 2>/dev/null)`;
}

function isNames(value: Names | readonly string[]): value is Names {
  return 'of' in value;
}

function longFlags(options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--')));
}

function zsh(verbs: readonly CompletedVerb[]): string {
  return `# Completion of jobledger for zsh: source <(jobledger completion zsh)
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(verbs)}`;
}

function fish(verbs: readonly CompletedVerb[]): string {
  const lines = verbs.flatMap((verb) => {
    const { name, summary, options, words, names } = verb;
    const parts = name.split(' ');
    const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
    const within = `-n '${seen}'`;
    const nested = hasVerbs(verb, verbs);
    const first = parts.length === 1 ? '__fish_use_subcommand' : fishBefore(verb, verbs);
    return [
      `complete -c jobledger -n ${first} -a ${parts.at(-1)} -d ${quoteForFish(summary)}`,
      ...(words.length === 0 || nested
        ? []
        : [`complete -c jobledger ${within} -a ${quoteForFish(words.join(' '))}`]),
      ...(names === null ? [] : [`complete -c jobledger ${within} -a ${quoteForFish(fishNames(names))}`]),
      ...options.map((option) => `complete -c jobledger ${within} ${fishOption(option)}`),
    ];
  });
  return `# Completion of jobledger for fish: jobledger completion fish | source\ncomplete -c jobledger -f\n${lines.join('\n')}\n`;
}

/** The condition for the place of a nested verb: after its outer verb, and before one of its own subcommands. */
function fishBefore({ name }: CompletedVerb, verbs: readonly CompletedVerb[]): string {
  const [parent = ''] = name.split(' ');
  const siblings = verbs.filter((each) => each.name.startsWith(`${parent} `));
  const words = siblings.map((each) => each.name.slice(parent.length + 1)).join(' ');
  return `'__fish_seen_subcommand_from ${parent}; and not __fish_seen_subcommand_from ${words}'`;
}

function hasVerbs({ name }: CompletedVerb, verbs: readonly CompletedVerb[]): boolean {
  return verbs.some((each) => each.name.startsWith(`${name} `));
}

function firstWords(verbs: readonly CompletedVerb[]): string {
  return verbs
    .map(({ name }) => name)
    .filter((name) => !name.includes(' '))
    .join(' ');
}

function fishOption({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const follows =
    value === 'none'
      ? []
      : value === 'any'
        ? ['-x']
        : value === 'file'
          ? ['-r', '-F']
          : [`-x -a ${quoteForFish(isNames(value) ? fishNames(value.of) : value.join(' '))}`];
  return [...names, ...follows, `-d ${quoteForFish(description)}`].join(' ');
}

function fishNames(kind: NameKind): string {
  return `(jobledger __complete ${kind} 2>/dev/null)`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
