import type { Command } from 'commander';
import { InputError } from '../services/adapters/errors.ts';
import { printableLine } from '../services/adapters/printable.ts';

/** The verb of this program, or the command of another program, with the meaning that these words have elsewhere. */
const MEANINGS: readonly (readonly [message: readonly string[], advice: string])[] = [
  [
    ['delete', 'rm', 'remove', 'del', 'cancel', 'stop', 'kill', 'terminate', 'abort'],
    '"jobledger suspend JOB" stops its pods until it is resumed; "kubectl delete job NAME" deletes it',
  ],
  [['pause', 'hold'], 'use "jobledger suspend JOB"'],
  [['unsuspend', 'continue', 'unpause'], 'use "jobledger resume JOB"'],
  [['list', 'ls', 'jobs', 'ps', 'find', 'search'], 'use "jobledger get"'],
  [['status', 'show', 'inspect', 'info'], 'use "jobledger describe JOB"'],
  [['top', 'stats'], 'use "jobledger get --status Running"'],
  [['watch'], 'use "jobledger get --watch"'],
  [['rerun', 'resubmit', 'restart', 'redo', 'again'], 'use "jobledger retry JOB"'],
  [['apply', 'create', 'new', 'exec'], 'use "jobledger submit -f FILE"'],
  [['log', 'tail'], 'use "jobledger logs JOB"'],
  [['events', 'timeline', 'audit'], 'use "jobledger history JOB"'],
  [['explain', 'reason'], 'use "jobledger why JOB"'],
  [['as-of', 'at'], 'use "jobledger replay JOB --at TIME"'],
  [['diff'], 'use "jobledger compare JOB"'],
  [['cronjobs', 'crons', 'schedule'], 'use "jobledger get cronjobs"'],
  [['cluster', 'nodes'], 'use "jobledger clusters"'],
  [['cordon', 'drain', 'uncordon'], 'use "jobledger clusters cordon|drain|uncordon CLUSTER"'],
  [['signin', 'sign-in', 'auth'], 'use "jobledger login URL"'],
  [['signout', 'sign-out'], 'use "jobledger logout"'],
  [['config', 'context'], 'use "jobledger contexts"'],
  [['start', 'serve', 'dev'], 'use "jobledger up"'],
  [['ui', 'web', 'dashboard', 'page'], 'use "jobledger open"'],
  [['backup', 'dump', 'archive'], 'use "jobledger admin export"'],
  [['restore'], 'use "jobledger admin import FILE"'],
  [['prove', 'proof'], 'use "jobledger admin verify"'],
  [['prune', 'cleanup', 'gc'], 'use "jobledger admin retention"'],
  [['uninstall', 'leave'], 'use "jobledger admin detach"'],
];

/** The words of a command line; those after `help` ask for the help of that verb. @throws InputError like `requireVerb`. */
export function verbWords(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...others] = words;
  const path = others.filter((word) => !word.startsWith('-'));
  requireVerb(program, first === 'help' ? path : words);
  if (first !== 'help') return words;
  requireNested(program, path);
  return [...path.filter((word) => word !== 'help'), '--help'];
}

/** @throws InputError for a word that is no verb of the verb before it. */
function requireNested(program: Command, path: readonly string[]): void {
  const [first, second] = path;
  const verb = program.commands.find((each) => each.name() === first);
  if (verb === undefined || second === undefined || verb.commands.length === 0) return;
  if (verb.commands.some((each) => each.name() === second)) return;
  throw new InputError(
    `there is no verb "${printableLine(`${first} ${second}`)}": ${adviceFor(program, second)}`,
  );
}

/**
 * @throws InputError for a first word that is no verb of this program; the error names the verb with that meaning. Also
 * for an option of a verb before the verb.
 */
export function requireVerb(program: Command, words: readonly string[]): void {
  const [first = '-'] = words;
  if (first.startsWith('-')) return requireAfterVerb(program, words);
  if (first === 'help') return;
  const verb = program.commands.find((each) => each.name() === first);
  if (verb !== undefined) return requireNestedVerb(verb, words.slice(1));
  throw new InputError(`there is no verb "${printableLine(first)}": ${adviceFor(program, first)}`);
}

/** @throws InputError for a mistyped verb before an argument, where the verb before it has a default: `cron nxet nightly`. */
function requireNestedVerb(verb: Command, [word = '', argument = '-']: readonly string[]): void {
  if (argument.startsWith('-') || verb.commands.some((each) => each.name() === word)) return;
  const meant = verb.commands.find((each) => isTypingError(word, each.name()));
  if (meant === undefined) return;
  throw new InputError(
    `there is no verb "${printableLine(`${verb.name()} ${word}`)}": did you mean "jobledger ${verb.name()} ${meant.name()}"?`,
  );
}

const OF_PROGRAM: readonly string[] = ['-h', '--help', '--version'];

/** @throws InputError for an option of a verb before the verb. */
function requireAfterVerb(program: Command, words: readonly string[]): void {
  const [option = ''] = words;
  const at = words.findIndex((word) => program.commands.some((verb) => verb.name() === word));
  const verb = program.commands.find((each) => each.name() === words[at]);
  if (verb === undefined || OF_PROGRAM.includes(option)) return;
  const nested = verb.commands.find((each) => each.name() === words[at + 1]);
  const path = [verb.name(), ...(nested === undefined ? [] : [nested.name()])].join(' ');
  const shown = printableLine(option);
  throw new InputError(
    `"${shown}" stands before the verb: write options after it, as in "jobledger ${path} ${shown} …"`,
  );
}

function adviceFor(program: Command, word: string): string {
  const parent = program.commands.find(({ commands }) => commands.some((verb) => verb.name() === word));
  if (parent !== undefined) return `use "jobledger ${parent.name()} ${word}"`;
  const meaning = MEANINGS.find(([words]) => words.includes(word.toLowerCase()));
  return meaning?.[1] ?? nearVerb(program, word) ?? '"jobledger --help" lists all verbs';
}

function nearVerb(program: Command, word: string): string | undefined {
  const paths = program.commands.flatMap((verb) => [
    [verb.name()],
    ...verb.commands.map((command) => [verb.name(), command.name()]),
  ]);
  const path = paths.find((names) => isTypingError(word, names.at(-1) ?? ''));
  return path === undefined ? undefined : `did you mean "jobledger ${path.join(' ')}"?`;
}

/** True when one letter is different, missing or superfluous, or two neighbours have changed places. */
function isTypingError(word: string, verb: string): boolean {
  let start = 0;
  while (start < verb.length && verb[start] === word[start]) start += 1;
  const [rest, meant] = [word.slice(start), verb.slice(start)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  const isOther = rest.slice(1) === meant.slice(1);
  return isOther || rest.slice(1) === meant || rest === meant.slice(1) || swapped === meant;
}
