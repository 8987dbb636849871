import type { ListedDecision } from '../api/rows.ts';
import { countWords } from '../words/count-words.ts';

type Command = ListedDecision['commands'][number];

/** A step of a decision in words, and the rule behind it. */
export interface Step {
  words: string;
  rule: string | null;
  error: string | null;
  /** Only bookkeeping: a status was written, or pods were counted. */
  isBookkeeping: boolean;
}

/** Rules under which a write of the status says nothing new: numbers changed, or pods were counted. */
const OF_NUMBERS = ['J-3.50', 'J-4.11'];

/** What a decision did, and what it left to wait for. */
export function stepsOf(decision: ListedDecision): Step[] {
  const { commands, waiting_words: waiting, waiting_rule: rule } = decision;
  const done = commands.map((command) => ({
    words: commandWords(command),
    rule: command.rule,
    error: command.error,
    isBookkeeping: isBookkeeping(command),
  }));
  if (waiting === null) return done;
  return [...done, { words: waitWords(waiting), rule, error: null, isBookkeeping: false }];
}

/** Whether nobody needs to read a decision: it wrote numbers, and waits for nothing new. */
export function isFolded(decision: ListedDecision): boolean {
  return stepsOf(decision).every((step) => step.isBookkeeping && step.error === null);
}

function isBookkeeping({ kind, rule, words }: Command): boolean {
  if (kind === 'ReleasePods') return failedIn(words) === 0;
  if (kind === 'EmitEvents') return true;
  return kind === 'WriteStatus' && OF_NUMBERS.includes(rule);
}

function commandWords({ kind, rule, words, pods }: Command): string {
  const some = pods === null ? 'pods' : countWords(pods, 'pod');
  switch (kind) {
    case 'CreatePods':
      return `Created ${some}: ${words}`;
    case 'DeletePods':
      return `Stopped ${some}: ${words}`;
    case 'ReleasePods':
      return failedIn(words) === 0
        ? `Counted ${some}: ${words}`
        : `Counted ${countWords(failedIn(words), 'failed pod')}`;
    case 'DeleteJob':
      return `Deleted the Job: ${words}`;
    case 'SetSuspend':
      return words.startsWith('resume') ? `Resumed the Job: ${words}` : `Suspended the Job: ${words}`;
    case 'EmitEvents':
      return 'Told it in an Event of Kubernetes';
    case 'WriteStatus':
      return statusWords(rule, words);
    default:
      return words.charAt(0).toUpperCase() + words.slice(1);
  }
}

/** How many failed pods a count has. */
function failedIn(words: string): number {
  return Number(/^counted now: \d+ succeeded, (\d+) failed/.exec(words)?.[1] ?? 0);
}

/** Rules about the end of a Job. */
const OF_ENDS = /^J-6\./;

function statusWords(rule: string, words: string): string {
  const stands = /^(FailureTarget|SuccessCriteriaMet) stands: (.*)$/s.exec(words);
  if (stands !== null)
    return `${stands[1] === 'FailureTarget' ? 'Ended as failed' : 'Ended as succeeded'}: ${stands[2]}`;
  return OF_ENDS.test(rule) ? `Decided its end: ${words}` : `Wrote the status: ${words}`;
}

const [BACK_OFF, DELETION] = [
  /^no pod before (\S+): (.*)$/s,
  /^deleted at (\S+), (\d+) s after the Job finished$/s,
];

/** A wait, as a sentence. Instants become local times. */
export function waitWords(words: string): string {
  const backOff = BACK_OFF.exec(words);
  if (backOff !== null) return `Waits until ${shown(backOff[1])} for the next attempt: ${backOff[2]}`;
  const deletion = DELETION.exec(words);
  if (deletion !== null) return `Will be deleted at ${shown(deletion[1])}, ${deletion[2]} s after its end`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  return Number.isNaN(at.getTime()) ? (instant ?? '') : at.toLocaleTimeString('en-GB');
}
