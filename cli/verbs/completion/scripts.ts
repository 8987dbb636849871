import type { NameKind } from './names.ts';
import type { CompletedOption, CompletedVerb, Names } from './tree.ts';

/** The supported shells, each with the function that creates its completion script. */
export const SCRIPTS = { bash, zsh, fish } as const;
export type Shell = keyof typeof SCRIPTS;

/** The completion script for bash. */
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

/** The cases of the script that complete the value of an option. */
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

/** The case of the script that completes a word of a verb. */
function bashWords({ name, options, words, names }: CompletedVerb): string {
  const all = [...words, ...longFlags(options), '--help'];
  // The script asks for names only if the word does not begin an option.
  const asked = names === null ? '' : `; [[ "$current" == -* ]] || words="$words ${bashNames(names)}"`;
  return `    "${name}") words="${[...new Set(all)].join(' ')}"${asked} ;;`;
}

/** The shell command that lists the names of a kind. */
function bashNames(kind: NameKind): string {
  return `$("\${COMP_WORDS[0]}" __complete ${kind} 2>/dev/null)`;
}

/** True when the values of an option are names of a kind. */
function isNames(value: Names | readonly string[]): value is Names {
  return 'of' in value;
}

/** The flags of the options that begin with two dashes. */
function longFlags(options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--')));
}

/** The completion script for zsh, which runs the script for bash. */
function zsh(verbs: readonly CompletedVerb[]): string {
  return `# Completion of jobledger for zsh: source <(jobledger completion zsh)
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(verbs)}`;
}

/** The completion script for fish. */
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

/** True when other verbs are nested in this verb. */
function hasVerbs({ name }: CompletedVerb, verbs: readonly CompletedVerb[]): boolean {
  return verbs.some((each) => each.name.startsWith(`${name} `));
}

/** The first words of all verbs. */
function firstWords(verbs: readonly CompletedVerb[]): string {
  return verbs
    .map(({ name }) => name)
    .filter((name) => !name.includes(' '))
    .join(' ');
}

/** The arguments of fish's `complete` for an option. */
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

/** The shell command that lists the names of a kind. */
function fishNames(kind: NameKind): string {
  return `(jobledger __complete ${kind} 2>/dev/null)`;
}

/** Quotes a text for fish. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
