import type { Argument, Command, Option } from 'commander';

/** An option and its possible values. */
export interface CompletedOption {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** `none`: it stands alone; `any`: a value that no shell can know. */
  readonly value: 'none' | 'any' | 'file' | readonly string[];
}

/** A verb as a shell completes it. */
export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Possible words without a dash: subcommands, or the choices of an argument. */
  readonly words: readonly string[];
}

/** The verbs of a program, with the options of their subcommands. */
export function completedVerbs(program: Command): CompletedVerb[] {
  return program.commands.map((verb) => ({
    name: verb.name(),
    summary: verb.summary(),
    options: [verb, ...verb.commands].flatMap(({ options }) => options.filter(isShown).map(completed)),
    words: [...verb.commands.map((each) => each.name()), ...verb.registeredArguments.flatMap(choicesOf)],
  }));
}

function isShown({ hidden }: Option): boolean {
  return !hidden;
}

function choicesOf({ argChoices }: Argument): readonly string[] {
  return argChoices ?? [];
}

function completed(option: Option): CompletedOption {
  const { short, long, description, flags, argChoices, required, optional } = option;
  const takesFile = /[<[=](file|dir)[>\]]/.test(flags);
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: !required && !optional ? 'none' : (argChoices ?? (takesFile ? 'file' : 'any')),
  };
}
