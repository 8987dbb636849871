import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Command, PodToCreate } from '../../workflows/job/commands.ts';
import { jobFacts, type Compacted } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import { outcomeId } from '../../workflows/decision/decision-id.ts';
import { decisionRecord, isNews } from '../../workflows/job/record/decision-record.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import type { Verdict } from '../../workflows/job/decide/verdict.ts';
import { INDEX_FAILURE_COUNT } from '../../workflows/kubernetes/names.ts';
import {
  aJob,
  aPod,
  CLUSTER,
  JOB_NAME,
  JOB_UID,
  jobObject,
  nextVersion,
  START,
  type JobFields,
  type PodFields,
} from '../support/builders.ts';

/** What one Job costs the core from its creation to its end; times in milliseconds. */
export interface Cost {
  facts: number;
  decisions: number;
  folding: number;
  deciding: number;
  longestDecision: number;
}

interface Run {
  job: JobFields;
  state: JobState;
  now: number;
  created: PodToCreate[];
  cost: Cost;
}

const DECIDER = { cluster: CLUSTER, jobUid: JOB_UID, subject: `default/${JOB_NAME}`, firstRunId: 'bench' };
/** The number of facts in one signal. */
const BATCH = 500;

/** Each pod is created, seen running and seen ending, 500 a second; those selected by `fails` fail once. */
export function runBigJob(job: JobFields, fails: (index: number) => boolean): Cost {
  const cost = { facts: 0, decisions: 0, folding: 0, deciding: 0, longestDecision: 0 };
  const run: Run = { job, state: INITIAL_STATE, now: START, created: [], cost };
  take(run, [aJob(job)]);
  for (;;) {
    const verdict = decideOnce(run);
    if (isNews(run.state, verdict)) carryOut(run, verdict);
    else if (run.created.length > 0) play(run, run.created.splice(0, BATCH), fails);
    else if (verdict.nextDecisionAt === null) return cost;
    else run.now = verdict.nextDecisionAt;
  }
}

function take(run: Run, facts: Compacted[]): void {
  const begin = performance.now();
  run.state = fold(run.state, facts);
  run.cost.folding += performance.now() - begin;
  run.cost.facts += facts.length;
}

function decideOnce({ state, now, cost }: Run): Verdict {
  const begin = performance.now();
  const verdict = decide(state, now, DEFAULT_SETTINGS);
  const took = performance.now() - begin;
  cost.decisions += 1;
  cost.deciding += took;
  cost.longestDecision = Math.max(cost.longestDecision, took);
  return verdict;
}

function carryOut(run: Run, verdict: Verdict): void {
  const { decided } = decisionRecord(DECIDER, run.state, verdict, run.now, DEFAULT_SETTINGS);
  const { source, subject, id: decision } = decided;
  const answered = verdict.commands.map((command, index): Compacted => {
    const outcome = answerTo(command, run);
    const data = { cluster: CLUSTER, jobUid: JOB_UID, decision, command: index, attempt: 1, outcome };
    const id = outcomeId(decision, index, data);
    return { id, type: 'outcome.recorded', source, subject, digest: computeDigest(data), data };
  });
  take(run, [decided, ...answered]);
  for (const asked of verdict.commands) if (asked.kind === 'CreatePods') run.created.push(...asked.pods);
}

function answerTo(command: Command, { job, now: at }: Run): Outcome {
  if (command.kind === 'CreatePods') {
    const pods = command.pods.map(({ name, ordinal }) => ({ ordinal, name, ...created(name) }));
    return { kind: 'CreatePods', generation: 1, at, pods };
  }
  if (command.kind === 'ReleasePods') {
    const pods = command.pods.map((pod) => ({
      ...pod,
      result: 'done' as const,
      resourceVersion: nextVersion(),
    }));
    return { kind: 'ReleasePods', at, pods };
  }
  if (command.kind === 'WriteStatus') {
    const seen = jobFacts(jobObject({ ...job, status: command.to }));
    return { kind: 'WriteStatus', result: 'written', at, job: seen };
  }
  if (command.kind === 'EmitEvents') return { kind: 'EmitEvents', at };
  throw new Error(`a Job that runs to its end asks for no ${command.kind}`);
}

function created(name: string): { result: 'created'; uid: string; resourceVersion: string } {
  return { result: 'created', uid: `uid-of-${name}`, resourceVersion: nextVersion() };
}

function play(run: Run, pods: PodToCreate[], fails: (index: number) => boolean): void {
  const finished = (run.now - START) / 1000;
  const fields = pods.map(({ name, index, annotations }): PodFields => {
    if (index === undefined) return { name };
    return { name, index, failureCount: Number(annotations?.[INDEX_FAILURE_COUNT] ?? 0) };
  });
  take(run, fields.map(aPod));
  const phase = ({ index, failureCount = 0 }: PodFields): string =>
    index !== undefined && failureCount === 0 && fails(index) ? 'Failed' : 'Succeeded';
  take(
    run,
    fields.map((pod) => aPod({ ...pod, phase: phase(pod), finished })),
  );
  run.now += 1000;
}
