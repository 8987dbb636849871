import type { ListedDecision } from '../../api/rows.ts';
import { countText } from '../../components/count-text.ts';

type Command = ListedDecision['commands'][number];

/** A step of a decision as text, with its rule. */
export interface Step {
  message: string;
  rule: string | null;
  error: string | null;
  /** True when the step only wrote a status or counted pods. */
  isBookkeeping: boolean;
}

/** The rules of status writes that only change numbers or count pods. */
const OF_NUMBERS = ['J-3.50', 'J-4.11'];

/** The commands of a decision and its wait, as text. */
export function decisionSteps(decision: ListedDecision): Step[] {
  const { commands, waiting_message: waiting, waiting_rule: rule } = decision;
  const done = commands.map((command) => ({
    message: commandText(command),
    rule: command.rule,
    error: command.error,
    isBookkeeping: isBookkeeping(command),
  }));
  if (waiting === null) return done;
  return [...done, { message: waitText(waiting), rule, error: null, isBookkeeping: false }];
}

/** True when a decision is unimportant for readers: it only updated counts, and has no new reason to wait. */
export function isFolded(decision: ListedDecision): boolean {
  return decisionSteps(decision).every((step) => step.isBookkeeping && step.error === null);
}

/** True for a command that only writes numbers, counts pods or creates Kubernetes Events. */
function isBookkeeping({ kind, rule, message }: Command): boolean {
  if (kind === 'ReleasePods') return failedIn(message) === 0;
  if (kind === 'EmitEvents') return true;
  return kind === 'WriteStatus' && OF_NUMBERS.includes(rule);
}

/** A command of a decision as a sentence. */
function commandText({ kind, rule, message, pod_count: pods }: Command): string {
  const some = pods === null ? 'pods' : countText(pods, 'pod');
  switch (kind) {
    case 'CreatePods':
      return `Created ${some}: ${message}`;
    case 'DeletePods':
      return `Stopped ${some}: ${message}`;
    case 'ReleasePods':
      return failedIn(message) === 0
        ? `Counted ${some}: ${message}`
        : `Counted ${countText(failedIn(message), 'failed pod')}`;
    case 'DeleteJob':
      return `Deleted the Job: ${message}`;
    case 'SetSuspend':
      return message.startsWith('resume') ? `Resumed the Job: ${message}` : `Suspended the Job: ${message}`;
    case 'EmitEvents':
      return 'Reported the change in a Kubernetes Event';
    case 'WriteStatus':
      return statusText(rule, message);
    default:
      return message.charAt(0).toUpperCase() + message.slice(1);
  }
}

/** The number of failed pods in the message about counted pods. */
function failedIn(message: string): number {
  return Number(/^counted now: \d+ succeeded, (\d+) failed/.exec(message)?.[1] ?? 0);
}

/** The rules about the end of a Job. */
const OF_ENDS = /^J-6\./;

/** A write of the status as a sentence; a write under a rule about ends decides the end of the Job. */
function statusText(rule: string, message: string): string {
  const stands = /^(FailureTarget|SuccessCriteriaMet) stands: (.*)$/s.exec(message);
  if (stands !== null)
    return `${stands[1] === 'FailureTarget' ? 'Ended as failed' : 'Ended as succeeded'}: ${stands[2]}`;
  return OF_ENDS.test(rule) ? `Decided the end of the Job: ${message}` : `Wrote the status: ${message}`;
}

const [BACK_OFF, DELETION] = [
  /^no pod before (\S+): (.*)$/s,
  /^deleted at (\S+), (\d+) s after the Job finished$/s,
];

/** A wait, as a sentence. Instants are written as local times. */
export function waitText(message: string): string {
  const backOff = BACK_OFF.exec(message);
  if (backOff !== null) return `Waits until ${localTimeText(backOff[1])} for the next attempt: ${backOff[2]}`;
  const deletion = DELETION.exec(message);
  if (deletion !== null)
    return `Waits until ${localTimeText(deletion[1])} for its deletion, ${deletion[2]} s after the end of the Job`;
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** The time of day of an instant; a text that is no instant stays as it is. */
function localTimeText(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  return Number.isNaN(at.getTime()) ? (instant ?? '') : at.toLocaleTimeString('en-GB');
}
