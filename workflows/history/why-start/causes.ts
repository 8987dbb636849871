import { CRON_JOB_CORES, type CronCore } from '../../cores/cores.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import type { CronJobState } from '../../cron-job/state.ts';
import { isoTime } from '../../ledger/instants.ts';
import { foldSteps, type StepOf } from '../../decision/folding.ts';
import { cronCommandText } from '../timeline/cron-command-text.ts';
import { createNarrator } from '../timeline/narrator.ts';
import type { TimelineLine } from '../timeline/line.ts';
import { parseCauseId } from '../why/cause-id.ts';
import { necessaryFacts } from '../why/necessary.ts';
import type { Cause } from '../why/types.ts';
import type { StartRecord } from './start-record.ts';

type Step = StepOf<CronJobEvent, CronJobState>;
type Verdict = ReturnType<CronCore['decide']>;

/** The causes with these ids and the facts that they depend on; the latest cause is first. Facts are roots. */
export function startCauses({ events, effective }: StartRecord, roots: readonly string[]): Cause[] {
  const core = CRON_JOB_CORES.ofLast(effective);
  const wanted = new Set(roots.map((id) => parseCauseId(id).event));
  const steps = new Map<string, Step>();
  for (const step of foldSteps(events, core))
    if (wanted.has(step.decision.id)) steps.set(step.decision.id, step);
  const narrate = createNarrator(new Set());
  const lines = new Map(events.flatMap((event) => narrate(event).map((line) => [event.id, line] as const)));
  const causes = new Map<string, Cause>();
  for (const id of roots) {
    const cause = findCause(core, id, { step: steps.get(parseCauseId(id).event), lines });
    for (const each of cause === null ? [] : [cause, ...cause.because.map((fact) => factCause(fact, lines))])
      if (each !== null) causes.set(each.id, each);
  }
  const place = new Map(events.map(({ id }, at) => [id, at]));
  /** The position in the stream of the event of a cause. */
  const streamPlace = ({ id }: Cause): number => place.get(parseCauseId(id).event) ?? -1;
  return [...causes.values()].toSorted((a, b) => streamPlace(b) - streamPlace(a) || (a.id < b.id ? -1 : 1));
}

interface Known {
  step: Step | undefined;
  lines: ReadonlyMap<string, TimelineLine>;
}

/** The cause with this id: an event, a command or a reason to wait. */
function findCause(core: CronCore, id: string, { step, lines }: Known): Cause | null {
  const ref = parseCauseId(id);
  if (ref.kind === 'event') return factCause(id, lines);
  if (step === undefined) return null;
  const { decision } = step;
  const { commands, waiting, number, now } = decision.data;
  const common = { id, at: isoTime(now), about: `decision ${number}` };
  if (ref.kind === 'waiting') {
    if (waiting === null) return null;
    const because = factsFor(core, step, (verdict) => verdict.waiting?.message === waiting.message);
    return { ...common, message: `waits: ${waiting.message}`, rule: waiting.rule, because };
  }
  const command = commands[ref.command];
  if (command === undefined) return null;
  const because = factsFor(core, step, (verdict) =>
    verdict.commands.some(
      (each) => each.kind === command.kind && cronCommandText(each) === cronCommandText(command),
    ),
  );
  return { ...common, message: cronCommandText(command), rule: command.why.rule, because };
}

/** The facts that the result of a decision needs; the list is empty when only time led to the result. */
function factsFor(
  core: CronCore,
  { before, events, decision }: Step,
  holds: (verdict: Verdict) => boolean,
): string[] {
  const { now, settings } = decision.data;
  /** The verdict of the core after some facts. */
  const verdictAfter = (facts: readonly CronJobEvent[]): Verdict =>
    core.decide(
      core.fold(
        before,
        facts.flatMap((event) => core.compact(event) ?? []),
      ),
      now,
      settings,
    );
  const needed = necessaryFacts(events, (facts) => holds(verdictAfter(facts)));
  return needed === null || needed === 'always' ? [] : needed.map(({ id }) => id);
}

/** The cause that is an event; null when the record lacks its line. */
function factCause(id: string, lines: ReadonlyMap<string, TimelineLine>): Cause | null {
  const line = lines.get(id);
  if (line === undefined) return null;
  return { id, at: line.time, about: line.about, message: line.message, rule: null, because: [] };
}
