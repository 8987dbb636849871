import { decodeJobEvent } from '../support/decode-job-event.ts';
import { compact, type Compacted } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { foldedBy } from '../../workflows/decision/folding.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import { generateLedger } from './ledger/generate.ts';

/** The core's cost of a ledger of many Jobs; CPU time of this process in milliseconds. */
export interface ReplayCost {
  events: number;
  jobs: number;
  decisions: number;
  time: number;
}

/** One step of a Job's life: what a decision had folded, then the decision. */
interface Step {
  facts: JobEvent[];
  decision: JobDecided;
}

/** Makes every decision of a generated ledger again: folds the events that it names, then calls `decide`. */
export async function replayLedger(events: number): Promise<ReplayCost> {
  const streams = new Map<string, JobEvent[]>();
  for (const { key, value } of await generateLedger({ events, variants: 4 })) {
    const event = decodeJobEvent(value);
    const stream = streams.get(key);
    if (stream === undefined) streams.set(key, [event]);
    else stream.push(event);
  }
  const jobs = [...streams.values()].map(replaySteps).filter(({ length }) => length > 0);
  const cost = { events: 0, jobs: jobs.length, decisions: 0, time: 0 };
  const begin = process.cpuUsage();
  for (const steps of jobs) replayJob(steps, cost);
  const { user, system } = process.cpuUsage(begin);
  return { ...cost, time: (user + system) / 1000 };
}

function replaySteps(stream: readonly JobEvent[]): Step[] {
  const byId = new Map(stream.map((event) => [event.id, event]));
  return stream.flatMap((event) => {
    if (event.type !== 'job.decided') return [];
    const facts = foldedBy(event, stream).flatMap(({ id }) => byId.get(id) ?? []);
    return [{ facts, decision: event }];
  });
}

/** Superseded decisions are made again as well, as `verify` does. */
function replayJob(steps: readonly Step[], cost: ReplayCost): void {
  const states = new Map<string | null, JobState>([[null, INITIAL_STATE]]);
  for (const { facts, decision } of steps) {
    const { predecessor, now, settings, commands } = decision.data;
    const before = states.get(predecessor) ?? INITIAL_STATE;
    const state = fold(
      before,
      facts.map(compact).filter((each): each is Compacted => each !== null),
    );
    const verdict = decide(state, now, settings);
    if (verdict.commands.length !== commands.length) throw new Error(`${decision.id} differs`);
    states.set(decision.id, fold(state, [decision]));
    cost.events += facts.length + 1;
    cost.decisions += 1;
  }
}
