import { AFTER } from '../../../kubernetes/names.ts';
import type { Command, EmitEvents } from '../../commands.ts';
import { commandPreconditions } from '../../definitions/preconditions.ts';
import {
  awaitedFrom,
  cycleThrough,
  MAX_AWAITED,
  conditionStatus,
  type ConditionStatus,
} from '../../definitions/chain.ts';
import { isoTime } from '../../../ledger/instants.ts';
import type { AfterCondition, JobFacts } from '../../../batch/facts.ts';
import type { Reason } from '../../../decision/reason.ts';
import type { JobState } from '../../state.ts';
import { unlessHeldBack } from '../hold-back.ts';
import type { Situation } from '../situation.ts';
import { earliest } from '../../../decision/verdict.ts';
import { combineVerdicts, type Verdict } from '../verdict.ts';

/**
 * The time that a Job waits for a missing Job before the absence is reported, in milliseconds, because the Jobs of a
 * chain may be created in any order.
 */
const MISSING_AFTER_MS = 10_000;

/** The highest number of conditions that a reason to wait names. */
const NAMED = 3;

type Warning = EmitEvents['events'][number];

/**
 * Adds the effect of `jobledger.dev/after` to a sync (J-12.6): the Job stays suspended until its predecessors have
 * ended as the annotation requires, and is then resumed once. Each obstacle to the resumption is reported once.
 */
export function applyChain(at: Situation, verdict: Verdict): Verdict {
  const { state, job, now } = at;
  const conditions = job.annotations?.after;
  if (conditions === undefined || state.chain.phase !== 'open' || job.spec.suspend !== true || job.deleting)
    return verdict;
  const chain = foldChain(state, job, conditions);
  const { warnings, nextDecisionAt } = chainWarnings(chain, now);
  const warned = { ...verdict, commands: [...warningCommands(state, warnings), ...verdict.commands] };
  if (chain.cycle !== null || chain.conditions.some(({ status }) => status !== 'met')) {
    const waiting: Reason = { rule: 'J-12.6', message: waitingMessage(chain) };
    return combineVerdicts(warned, { commands: [], nextDecisionAt, waiting });
  }
  const texts = conditions.slice(0, NAMED).map(({ job: name }) => endText(state, name));
  const why: Reason = {
    rule: 'J-12.6',
    message: `${listText(texts, conditions.length)}: the Job is resumed`,
  };
  const resume: Command = {
    kind: 'SetSuspend',
    suspend: false,
    preconditions: commandPreconditions(job, null),
    why,
  };
  const resumed = unlessHeldBack(at, { ...verdict, commands: [resume] });
  return { ...resumed, commands: [...warned.commands, ...resumed.commands] };
}

/** The warning about a chain that is ignored, because the Job was not created suspended. */
export function chainComplaint({ chain }: JobState, { annotations }: JobFacts): string[] {
  if (chain.phase !== 'none' || annotations?.after === undefined) return [];
  return [`${AFTER} is ignored: the Job was not created with spec.suspend: true`];
}

/** A condition, its state, and a text about the state. */
interface KnownCondition extends AfterCondition {
  status: ConditionStatus;
  message: string;
  /** For a missing Job, the time since which the Job waits for it, in milliseconds since 1970. */
  since: number | undefined;
}

interface Chain {
  conditions: KnownCondition[];
  /** The path from the Job back to itself. */
  cycle: string[] | null;
  /** True when some predecessors are not known yet. */
  isCut: boolean;
}

/** The state of the chain of a Job. */
export function foldChain(
  { chain: { awaited } }: Pick<JobState, 'chain'>,
  { name }: Pick<JobFacts, 'name'>,
  conditions: readonly AfterCondition[],
): Chain {
  const named = conditions.map(({ job }) => job);
  /** The names of the Jobs for which an awaited Job itself waits. */
  const waitsFor = (each: string): readonly string[] | undefined => awaited[each]?.waitsFor;
  return {
    conditions: conditions.map((condition) => {
      const known = awaited[condition.job];
      const status = conditionStatus(condition, known);
      return {
        ...condition,
        status,
        message: conditionMessage(condition, status, known?.end),
        since: known?.since,
      };
    }),
    cycle: cycleThrough(name, named, waitsFor),
    isCut: awaitedFrom(name, named, waitsFor).isCut,
  };
}

const WANTED = { Succeeded: 'succeeds', Failed: 'fails', Finished: 'finishes' } as const;

/** The state of a condition as text. */
function conditionMessage(
  { job, end: wanted }: AfterCondition,
  status: ConditionStatus,
  end: { type: string; reason: string; at: number } | undefined,
): string {
  const what = `Job ${job} ${WANTED[wanted]}`;
  switch (status) {
    case 'met':
    case 'waiting':
    case 'unknown':
      return what;
    case 'missing':
      return `${what}, which does not exist`;
    case 'deleted':
      return `${what}, which was deleted before it ended`;
    case 'unmeetable':
      return `${what}, which ${end === undefined ? 'ended otherwise' : endedText(end)}`;
  }
}

/** The end of an awaited Job as text. */
function endedText({ type, reason, at }: { type: string; reason: string; at: number }): string {
  const how = type === 'Complete' ? 'succeeded' : 'failed';
  return `${how} at ${isoTime(at)}${reason === '' ? '' : ` (${reason})`}`;
}

/** The end of the awaited Job with this name, as text. */
function endText({ chain: { awaited } }: JobState, name: string): string {
  const end = awaited[name]?.end;
  return `Job ${name} ${end === undefined ? 'ended' : endedText(end)}`;
}

/** The message about a cycle of Jobs that wait for each other. */
function cycleText(cycle: readonly string[]): string {
  return `the Job waits for itself: ${cycle.join(' → ')}`;
}

/** The reason why the Job waits for its predecessors. */
function waitingMessage({ conditions, cycle }: Chain): string {
  if (cycle !== null) return cycleText(cycle);
  const unmet = conditions.filter(({ status }) => status !== 'met');
  return `suspended until ${listText(
    unmet.slice(0, NAMED).map(({ message }) => message),
    unmet.length,
  )}`;
}

/** The shown items of a list as text; `all` is the number of all its items. */
function listText(shown: readonly string[], all: number): string {
  const more = all - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/**
 * The warnings about obstacles that keep the Job suspended until a user acts; `nextDecisionAt` is the time when the
 * state of the chain may change.
 */
function chainWarnings(chain: Chain, now: number): { warnings: Warning[]; nextDecisionAt: number | null } {
  const warnings: Warning[] = [];
  let nextDecisionAt: number | null = null;
  /** Adds a warning. */
  const addWarning = (reason: string, message: string): void =>
    void warnings.push({ type: 'Warning', reason, message });
  const { conditions, cycle, isCut } = chain;
  if (cycle !== null) addWarning('ChainCycle', `${AFTER}: ${cycleText(cycle)}`);
  if (isCut)
    addWarning(
      'ChainTooLarge',
      `${AFTER}: the Job waits for more than ${MAX_AWAITED} Jobs, directly and through others; whether it waits for itself through further ones is not noticed`,
    );
  for (const { job, status, message, since = 0 } of conditions) {
    if (status === 'missing' && now < since + MISSING_AFTER_MS)
      nextDecisionAt = earliest(nextDecisionAt, since + MISSING_AFTER_MS);
    else if (status === 'missing') addWarning('AwaitedJobMissing', `${AFTER}: suspended until ${message}`);
    else if (status === 'deleted') addWarning('AwaitedJobMissing', `${AFTER}: suspended until ${message}`);
    else if (status === 'unmeetable')
      addWarning(
        'AwaitedJobEndedOtherwise',
        `${AFTER}: suspended until ${message}; resume the Job by hand, or create the Job ${job} anew`,
      );
  }
  return { warnings, nextDecisionAt };
}

/** The commands that send the warnings that were not sent before. */
function warningCommands({ chain: { reported } }: JobState, warnings: readonly Warning[]): Command[] {
  const events = warnings.filter(({ message }) => !reported.includes(message));
  if (events.length === 0) return [];
  const chain = warnings.map(({ message }) => message);
  const why = { rule: 'J-12.6' as const, message: 'the chain of the Job waits for a user' };
  return [{ kind: 'EmitEvents', events, chain, why }];
}
