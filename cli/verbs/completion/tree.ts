import type { Argument, Command, Option } from 'commander';
import { JOB_ARGUMENT } from '../../job-argument.ts';
import { isVerbGroup, commandPath } from '../../command-path.ts';
import type { NameKind } from './names.ts';

/** An option and its possible values. */
export interface CompletedOption {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** `none` means that the option has no value; `any` means that no shell can know its values. */
  readonly value: 'none' | 'any' | 'file' | Names | readonly string[];
}

/** Names that `jobledger __complete` prints. */
export interface Names {
  readonly of: NameKind;
}

/** A verb in the form that a shell completes. */
export interface CompletedVerb {
  /** `get`, or `admin verify`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Possible words without a dash: subcommands, or the choices of an argument. */
  readonly words: readonly string[];
  /** The kind of names that the argument may also have. */
  readonly names: NameKind | null;
}

/** The verbs of a program, with the options of their subcommands; verbs of `admin` and `run` have two words. */
export function completedVerbs(program: Command): CompletedVerb[] {
  return program.commands.flatMap((verb) =>
    isVerbGroup(verb)
      ? [completedVerb(verb, []), ...verb.commands.map((each) => completedVerb(each, each.commands))]
      : [completedVerb(verb, verb.commands)],
  );
}

/** `within` has the subcommands whose options are completed together with those of the verb. */
function completedVerb(verb: Command, within: readonly Command[]): CompletedVerb {
  return {
    name: commandPath(verb).split(' ').slice(1).join(' '),
    summary: verb.summary(),
    options: [verb, ...within].flatMap(({ options }) => options.filter(isShown).map(toCompletedOption)),
    words: [
      ...verb.commands.map((each) => each.name()),
      ...verb.registeredArguments.flatMap(argumentChoices),
    ],
    names: namesIn(verb),
  };
}

/** The kind of names that the first argument of a verb takes, by the help text of the argument. */
function namesIn(verb: Command): NameKind | null {
  const [first] = verb.registeredArguments;
  if (first?.description.includes(JOB_ARGUMENT) === true || verb.name() === 'why') return 'jobs';
  return first?.description.startsWith('name of the context') === true ? 'contexts' : null;
}

/** The kind of names that an option takes as its value, by the flag. */
const NAMED: Readonly<Record<string, NameKind>> = {
  '--namespace': 'namespaces',
  '--cluster': 'clusters',
  '--context': 'contexts',
};

/** True when the help shows the option. */
function isShown({ hidden }: Option): boolean {
  return !hidden;
}

/** The possible values of an argument, if the argument has a fixed list. */
function argumentChoices({ argChoices }: Argument): readonly string[] {
  return argChoices ?? [];
}

/** The flags of an option, its description, and what completes its value. */
function toCompletedOption(option: Option): CompletedOption {
  const { short, long, description, flags, argChoices, required, optional } = option;
  const takesFile = /[<[=](file|dir)[>\]]/.test(flags);
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: !required && !optional ? 'none' : (argChoices ?? (takesFile ? 'file' : namesFor(option))),
  };
}

/** The kind of names that complete the value of an option; `any` if no kind does. */
function namesFor({ long }: Option): 'any' | Names {
  const kind = NAMED[long ?? ''];
  return kind === undefined ? 'any' : { of: kind };
}
