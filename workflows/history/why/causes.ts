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
import type { DecisionContext, StreamIndex } from './stream-index.ts';
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
export function findCause(stream: StreamIndex, origins: Origins, id: string): Cause | null {
  const ref = parseCauseId(id);
  if (ref.kind === 'waiting') return waitingCause(stream, ref.event);
  if (ref.kind === 'command') return commandCause(stream, ref.event, ref.command);
  const event = stream.event(id);
  if (event === undefined) return null;
  const { about, message } = stream.line(event);
  return { id, at: stream.happenedAt(event), about, message, rule: null, because: origins.of(event) };
}

/** The cause that is a command of a decision; null when the stream does not contain it. */
function commandCause(stream: StreamIndex, id: string, at: number): Cause | null {
  const context = stream.contextOfDecision(id);
  const command = context?.decision.data.commands[at];
  if (context === null || command === undefined) return null;
  const essence = commandEssence(command);
  const { number, now } = context.decision.data;
  return {
    id: commandCauseId(id, at),
    at: isoTime(now),
    about: `decision ${number}`,
    message: commandText(command),
    rule: command.why.rule,
    because: reasonsFor(stream, context, {
      rules: rulesThatHeldBack(context),
      holds: ({ commands }) => commands.some((each) => commandEssence(each) === essence),
    }),
  };
}

/** The cause that is a reason to wait; null when the stream does not contain it. */
function waitingCause(stream: StreamIndex, id: string): Cause | null {
  const context = stream.contextOfDecision(id);
  const waiting = context?.decision.data.waiting ?? null;
  if (context === null || waiting === null) return null;
  const text = canonicalJson(waiting);
  const { number, now } = context.decision.data;
  return {
    id: waitingCauseId(id),
    at: isoTime(now),
    about: `decision ${number}`,
    message: `waits: ${waiting.message}`,
    rule: waiting.rule,
    because: reasonsFor(stream, context, {
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
function reasonsFor(stream: StreamIndex, context: DecisionContext, { holds, rules }: Given): string[] {
  const found = factsFor(context, context.decision, holds);
  const waited = rules.includes(context.before.waiting?.rule ?? '') ? waitEndedAt(stream, context) : [];
  if (found === null) return context.facts.map(({ id }) => id);
  if (found !== 'always') return [...waited, ...found.map(({ id }) => id)];
  if (waited.length > 0) return waited;
  // The Job itself was never observed, only its pods.
  if (context.decision.data.predecessor === null) return context.facts.map(({ id }) => id);
  return earlierReasons(stream, context, holds);
}

/**
 * The facts of one decision that a result needs; `always` when it needs no fact, null when it does not hold with all
 * facts.
 */
function factsFor(
  { core, before, facts }: DecisionContext,
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
function rulesThatHeldBack({ decision }: DecisionContext): string[] {
  const kinds = decision.data.commands.map(({ kind }) => kind);
  return [
    'J-3.2',
    ...(kinds.includes('CreatePods') ? ['J-5.40', 'J-5.44'] : []),
    ...(kinds.includes('DeleteJob') ? ['J-10.2'] : []),
  ];
}

/** The wait that ended with this decision, identified by the first decision that recorded it. */
function waitEndedAt(stream: StreamIndex, { decision, before }: DecisionContext): string[] {
  if (before.waiting === null) return [];
  const text = canonicalJson(before.waiting);
  let at = decision.data.predecessor === null ? null : stream.contextOfDecision(decision.data.predecessor);
  const nextDecisionAt = at?.decision.data.nextDecisionAt ?? null;
  if (at === null || nextDecisionAt === null || nextDecisionAt > decision.data.now) return [];
  while (canonicalJson(at.before.waiting) === text && at.decision.data.predecessor !== null) {
    const earlier = stream.contextOfDecision(at.decision.data.predecessor);
    if (earlier === null) break;
    at = earlier;
  }
  return [waitingCauseId(at.decision.id)];
}

/** The facts of an earlier decision after which only time had to pass, for example a deadline. */
function earlierReasons(stream: StreamIndex, { decision, core }: DecisionContext, holds: Holds): string[] {
  let { predecessor } = decision.data;
  while (predecessor !== null) {
    const context = stream.contextOfDecision(predecessor, core);
    const found = context === null ? null : factsFor(context, decision, holds);
    if (found === null) return context === null ? [] : context.facts.map(({ id }) => id);
    if (found !== 'always') return found.map(({ id }) => id);
    predecessor = context?.decision.data.predecessor ?? null;
  }
  return [];
}
