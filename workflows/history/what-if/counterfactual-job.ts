import type { PodToCreate } from '../../job/commands.ts';
import type { Core } from '../../cores/cores.ts';
import type { Compacted } from '../../job/observe/compact.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { PodFacts } from '../../job/facts.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import type { JobState } from '../../job/state.ts';
import type { Verdict } from '../../job/decide/verdict.ts';
import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../kubernetes/names.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import { outcomesFor, type RecordedDecision } from './outcomes.ts';
import type { PolicyChange } from './types.ts';

/** The state of a Job under another policy, folded from the recorded facts that still apply. */
export interface CounterfactualJob {
  readonly state: JobState;
  /** Ignores the recorded facts of a pod that does not exist in this run. */
  leaveOut(name: string): void;
  fold(event: JobEvent): void;
  /** Folds a decision of this run and its outcomes. `template` is a recorded decision whose envelope is copied. */
  carryOut(verdict: Verdict, now: number, template: JobDecided, recorded: RecordedDecision | null): void;
}

/** Creates the state of a Job under another policy, without events. */
export function createCounterfactualJob(
  { INITIAL_STATE, compact, fold }: Core,
  change: PolicyChange,
): CounterfactualJob {
  const absent = new Set<string>();
  const jobs = createOwnJobs(change);
  const pods = createOwnPods();
  let state: JobState = INITIAL_STATE;
  return {
    get state() {
      return state;
    },
    leaveOut: (name) => void absent.add(name),
    fold(event) {
      const fact = compact(event);
      if (fact === null) return;
      const job = jobIn(fact);
      if (job !== null) {
        const epoch = jobs.newIn(fact, job);
        if (epoch === null) return;
        const { id, digest } = fact;
        const own = jobs.own(job, state.job?.status ?? job.status);
        state = fold(state, [{ id, digest, ...(epoch > 0 && { epoch }), type: 'job.observed', job: own }]);
      } else if (fact.type === 'pod.observed') {
        if (!absent.has(fact.pod.name)) state = fold(state, [{ ...fact, pod: pods.own(fact.pod) }]);
      } else if (
        fact.type === 'awaited-job.observed' ||
        fact.type === 'job.deleted' ||
        (fact.type === 'pod.deleted' && !absent.has(fact.name))
      )
        state = fold(state, [fact]);
      // Outcomes are folded together with their decision; the observed spec shows the effect of a user's request.
    },
    carryOut(verdict, at, template, recorded) {
      const { job } = state;
      const now = job ?? NO_JOB;
      const after = {
        written: (status: JobStatus) => jobs.own(now, status),
        resumed: () => jobs.own({ ...now, spec: { ...now.spec, suspend: false } }, now.status),
      };
      const events = recordsOfDecision(
        verdict,
        { number: (state.last?.number ?? 0) + 1, now: at, template },
        (command) => outcomesFor(command, at, recorded, after),
      );
      pods.note(verdict);
      state = fold(state, events);
    },
  };
}

/** The Job in an observation or an outcome; null without a Job. */
function jobIn(fact: Compacted): JobFacts | null {
  if (fact.type === 'job.observed') return fact.job;
  if (fact.type !== 'outcome.recorded') return null;
  const { outcome } = fact.data;
  return 'job' in outcome ? outcome.job : null;
}

/** The decision and its outcomes as they would have been recorded. */
function recordsOfDecision(
  { commands, waiting, nextDecisionAt }: Verdict,
  { number, now, template }: { number: number; now: number; template: JobDecided },
  answers: (command: Verdict['commands'][number]) => ReturnType<typeof outcomesFor>,
): Compacted[] {
  const id = `what-if/${number}`;
  const { cluster, jobUid } = template.data;
  const decision: Compacted = {
    ...template,
    id,
    data: { ...template.data, number, now, commands, waiting, nextDecisionAt },
  };
  const outcomes = commands.flatMap((command, at) =>
    answers(command).map((outcome): Compacted => {
      const data = { cluster, jobUid, decision: id, command: at, attempt: 1, outcome };
      return { ...template, id: `${id}/${at}`, type: 'outcome.recorded', data };
    }),
  );
  return [decision, ...outcomes];
}

/**
 * Creates the conversion of observed Jobs into Jobs with the other policy, with the status written in this run, and
 * with new resourceVersions.
 */
function createOwnJobs(change: PolicyChange): {
  /** The epoch of an observation or outcome that shows a newer Job; null when the event shows no Job. */
  newIn(fact: Compacted, job: JobFacts): number | null;
  own(job: JobFacts, status: JobStatus): JobFacts;
} {
  let seen = { epoch: 0, resourceVersion: '' };
  let version = 0;
  return {
    newIn(fact, { resourceVersion }) {
      // The API server gives an outcome in its present epoch.
      const epoch = fact.type === 'job.observed' ? (fact.epoch ?? 0) : seen.epoch;
      const order = epoch - seen.epoch || compareVersions(resourceVersion, seen.resourceVersion);
      if (order <= 0) return null;
      seen = { epoch, resourceVersion };
      return epoch;
    },
    own(job, status) {
      version += 1;
      return { ...job, status, spec: withChange(job.spec, change), resourceVersion: String(version) };
    },
  };
}

/** The spec with the values of the other policy; null removes a field. */
function withChange(spec: JobFacts['spec'], change: PolicyChange): JobFacts['spec'] {
  const fields = Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as unknown as JobFacts['spec'];
}

/**
 * Creates the conversion of observed pods into pods with the finalizer and the failure counts that they would have in
 * this run.
 */
function createOwnPods(): { own(pod: PodFacts): PodFacts; note(verdict: Verdict): void } {
  const created = new Map<string, PodToCreate>();
  const tracked = new Set<string>();
  const released = new Set<string>();
  return {
    own({ tracked: isTracked, failureCount, ignoredFailureCount, ...pod }) {
      if (isTracked === true) tracked.add(pod.uid);
      const creation = created.get(pod.name);
      const counts = creation === undefined ? { failureCount, ignoredFailureCount } : failureCounts(creation);
      return {
        ...pod,
        ...Object.fromEntries(Object.entries(counts).filter(([, count]) => (count ?? 0) > 0)),
        ...(tracked.has(pod.uid) && !released.has(pod.uid) && { tracked: true as const }),
      };
    },
    note({ commands }) {
      for (const command of commands) {
        if (command.kind === 'CreatePods') for (const pod of command.pods) created.set(pod.name, pod);
        if (command.kind === 'ReleasePods') for (const { uid } of command.pods) released.add(uid);
      }
    },
  };
}

/** The failure counts in the annotations of a pod. */
function failureCounts({
  annotations = {},
}: PodToCreate): Pick<PodFacts, 'failureCount' | 'ignoredFailureCount'> {
  return {
    failureCount: Number(annotations[INDEX_FAILURE_COUNT] ?? 0),
    ignoredFailureCount: Number(annotations[INDEX_IGNORED_FAILURE_COUNT] ?? 0),
  };
}

/** This placeholder is never used, because no status is written when the Job is absent. */
const NO_JOB: JobFacts = {
  uid: '',
  namespace: '',
  name: '',
  resourceVersion: '',
  generation: 1,
  deleting: false,
  spec: { selector: {} },
  restartPolicy: 'Never',
  status: {},
};
