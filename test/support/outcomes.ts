import type { Compacted } from '../../workflows/job/observe/compact.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import * as core from '../../workflows/job/core.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { step } from '../../workflows/job/step.ts';
import type { Command } from '../../workflows/job/commands.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import { CLUSTER, DECIDER, JOB_UID, jobObject, nextVersion, START, type JobFields } from './builders.ts';

type WithoutInstant<A> = A extends Outcome ? Omit<A, 'at'> : never;
export type AnOutcome = WithoutInstant<Outcome>;

/** The record of the outcome of one command of the last decision. */
export function outcomeRecord(command: number, outcome: AnOutcome): Compacted {
  const answer: Outcome = { ...outcome, at: START };
  const data = { cluster: CLUSTER, jobUid: JOB_UID, decision: 'd', command, attempt: 1, outcome: answer };
  const id = `answer/${nextVersion()}`;
  const { subject } = DECIDER;
  return { id, type: 'outcome.recorded', source: CLUSTER, subject, digest: computeDigest(id), data };
}

/** Decides this many seconds after the start; folds the decision and its outcomes. Null outcomes: nothing was decided. */
export function decideWithOutcomes(
  state: JobState,
  { after, outcomes }: { after: number; outcomes: (commands: readonly Command[]) => AnOutcome[] },
): { state: JobState; commands: readonly Command[] } {
  const now = START + after * 1000;
  const taken = step(core, { decider: DECIDER, state, now, settings: DEFAULT_SETTINGS });
  if (taken.decision === null) return { state: taken.state, commands: [] };
  const { commands } = taken.decision.decided.data;
  const answers = outcomes(commands).map((outcome, at) => outcomeRecord(at, outcome));
  return { state: fold(taken.state, answers), commands };
}

/** The number of decisions at one instant, up to a limit, when every command gets its outcome at once. */
export function decisionsAtOnce(
  state: JobState,
  outcomes: (commands: readonly Command[]) => AnOutcome[],
): number {
  let now = state;
  for (let count = 0; count < 20; count += 1) {
    const next = decideWithOutcomes(now, { after: 0, outcomes });
    if (next.commands.length === 0) return count;
    now = next.state;
  }
  return 20;
}

/** Every command is carried out; a status gets a new version. */
export function successOutcome(command: Command): AnOutcome {
  switch (command.kind) {
    case 'CreatePods':
      return {
        kind: 'CreatePods',
        generation: 1,
        pods: command.pods.map(({ ordinal, name }) => ({
          ordinal,
          name,
          result: 'created' as const,
          uid: `uid-of-${name}`,
          resourceVersion: nextVersion(),
        })),
      };
    case 'DeletePods':
      return { kind: command.kind, untrack: command.untrack, pods: command.pods.map(done) };
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
      return { kind: command.kind, pods: command.pods.map(done) };
    case 'WriteStatus':
      return { kind: 'WriteStatus', result: 'written', job: jobRead({ status: command.to }) };
    case 'EmitEvents':
      return { kind: 'EmitEvents' };
    case 'LookUpOrphans':
      return { kind: 'LookUpOrphans', result: 'done', orphans: [], more: false };
    case 'SetSuspend':
    case 'RefuseRequest':
    case 'LookUpJob':
    case 'LookUpPods':
    case 'DeleteJob':
    case 'EnsureGang':
      throw new Error(`no success of ${command.kind} is known`);
  }
}

function done(pod: { uid: string; name: string }): {
  uid: string;
  name: string;
  result: 'done';
  resourceVersion: string;
} {
  return { ...pod, result: 'done', resourceVersion: nextVersion() };
}

/** The Job as a command reads it. */
export function jobRead(fields: JobFields): ReturnType<typeof jobFacts> {
  return jobFacts(jobObject(fields));
}
