import type { Compacted } from '../../job/observe/compact.ts';
import { canonicalJson } from '../../ledger/digest.ts';
import type { JobDecided } from '../../job/events.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { Verdict } from '../../job/decide/verdict.ts';
import { commandText } from '../timeline/command-text.ts';
import { commandCauseId, parseCauseId, waitingCauseId } from './cause-id.ts';
import { commandEssence } from './essence.ts';
import { necessaryFacts } from './necessary.ts';
import type { Origins } from './origins.ts';
import type { Moment, Recorded } from './recorded.ts';
import type { Cause } from './types.ts';

type Holds = (verdict: Verdict) => boolean;

/**
 * A result of a decision: a test that finds the result in a verdict, and the rules of waiting that would have
 * prevented the result.
 */
interface Given {
  holds: Holds;
  rules: readonly string[];
}

/** The cause with this id and the ids of its own causes; null when the stream does not contain the cause. */
export function findCause(recorded: Recorded, origins: Origins, id: string): Cause | null {
  const ref = parseCauseId(id);
  if (ref.kind === 'waiting') return waitingCause(recorded, ref.event);
  if (ref.kind === 'command') return commandCause(recorded, ref.event, ref.command);
  const event = recorded.event(id);
  if (event === undefined) return null;
  const { about, message } = recorded.line(event);
  return { id, at: recorded.happenedAt(event), about, message, rule: null, because: origins.of(event) };
}

/** The cause that is a command of a decision; null when the stream does not contain it. */
function commandCause(recorded: Recorded, id: string, at: number): Cause | null {
  const moment = recorded.stateAtDecision(id);
  const command = moment?.decision.data.commands[at];
  if (moment === null || command === undefined) return null;
  const essence = commandEssence(command);
  const { number, now } = moment.decision.data;
  return {
    id: commandCauseId(id, at),
    at: isoTime(now),
    about: `decision ${number}`,
    message: commandText(command),
    rule: command.why.rule,
    because: reasonsFor(recorded, moment, {
      rules: rulesThatHeldBack(moment),
      holds: ({ commands }) => commands.some((each) => commandEssence(each) === essence),
    }),
  };
}

/** The cause that is a reason to wait; null when the stream does not contain it. */
function waitingCause(recorded: Recorded, id: string): Cause | null {
  const moment = recorded.stateAtDecision(id);
  const waiting = moment?.decision.data.waiting ?? null;
  if (moment === null || waiting === null) return null;
  const text = canonicalJson(waiting);
  const { number, now } = moment.decision.data;
  return {
    id: waitingCauseId(id),
    at: isoTime(now),
    about: `decision ${number}`,
    message: `waits: ${waiting.message}`,
    rule: waiting.rule,
    because: reasonsFor(recorded, moment, {
      rules: ['J-3.2'],
      holds: (verdict) => canonicalJson(verdict.waiting) === text,
    }),
  };
}

/**
 * The facts without which the core would not have reached this result; the core runs again with fewer facts. If no
 * fact was needed, these are the wait that ended or, without a wait, the facts of earlier decisions after which only
 * time had to pass.
 */
function reasonsFor(recorded: Recorded, moment: Moment, { holds, rules }: Given): string[] {
  const found = factsFor(moment, moment.decision, holds);
  const waited = rules.includes(moment.before.waiting?.rule ?? '') ? waitEndedAt(recorded, moment) : [];
  if (found === null) return moment.facts.map(({ id }) => id);
  if (found !== 'always') return [...waited, ...found.map(({ id }) => id)];
  if (waited.length > 0) return waited;
  // The Job itself was never observed, only its pods.
  if (moment.decision.data.predecessor === null) return moment.facts.map(({ id }) => id);
  return earlierReasons(recorded, moment, holds);
}

/**
 * The facts of one decision that a result needs; `always` when it needs no fact, null when it does not hold with all
 * facts.
 */
function factsFor(
  { core, before, facts }: Moment,
  { data }: JobDecided,
  holds: Holds,
): readonly Compacted[] | 'always' | null {
  /** True when the core reaches the result after some facts. */
  const holdsAfter = (some: readonly Compacted[]): boolean => {
    const state = some.length === 0 ? before : core.fold(before, some);
    return holds(core.decide(state, data.now, data.settings));
  };
  return necessaryFacts(facts, holdsAfter);
}

/**
 * The rules of waiting that apply to the commands of a decision: the back-off applies to pods, the TTL to the
 * deletion of the Job, and API errors apply to all commands.
 */
function rulesThatHeldBack({ decision }: Moment): string[] {
  const kinds = decision.data.commands.map(({ kind }) => kind);
  return [
    'J-3.2',
    ...(kinds.includes('CreatePods') ? ['J-5.40', 'J-5.44'] : []),
    ...(kinds.includes('DeleteJob') ? ['J-10.2'] : []),
  ];
}

/** The wait that ended with this decision, identified by the first decision that recorded it. */
function waitEndedAt(recorded: Recorded, { decision, before }: Moment): string[] {
  if (before.waiting === null) return [];
  const text = canonicalJson(before.waiting);
  let at = decision.data.predecessor === null ? null : recorded.stateAtDecision(decision.data.predecessor);
  const nextDecisionAt = at?.decision.data.nextDecisionAt ?? null;
  if (at === null || nextDecisionAt === null || nextDecisionAt > decision.data.now) return [];
  while (canonicalJson(at.before.waiting) === text && at.decision.data.predecessor !== null) {
    const earlier = recorded.stateAtDecision(at.decision.data.predecessor);
    if (earlier === null) break;
    at = earlier;
  }
  return [waitingCauseId(at.decision.id)];
}

/** The facts of an earlier decision after which only time had to pass, for example a deadline. */
function earlierReasons(recorded: Recorded, { decision, core }: Moment, holds: Holds): string[] {
  let { predecessor } = decision.data;
  while (predecessor !== null) {
    const moment = recorded.stateAtDecision(predecessor, core);
    const found = moment === null ? null : factsFor(moment, decision, holds);
    if (found === null) return moment === null ? [] : moment.facts.map(({ id }) => id);
    if (found !== 'always') return found.map(({ id }) => id);
    predecessor = moment?.decision.data.predecessor ?? null;
  }
  return [];
}
