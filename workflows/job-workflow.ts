import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { CarryOutInput, JobActivities } from './activities.ts';
import { LOCAL, locallyAtFirst, ORDINARY } from './activity-options.ts';
import { control, type RunInput } from './control-loop.ts';
import { isOver } from './job/decide/after-the-end.ts';
import * as core from './job/core.ts';
import type { Compacted } from './job/observe/compact.ts';
import { requestIn } from './decision/user-requests.ts';
import type { Decider } from './job/record/decision-record.ts';
import { dependsOnSchedulingApi } from './job/decide/policies/gang-scheduling.ts';
import { withKnownApi, type SchedulingApi, type Settings } from './job/settings.ts';
import type { JobState } from './job/state.ts';
import { earliest } from './decision/verdict.ts';
import { step, type StepDecision } from './job/step.ts';
import { type StepResult } from './decision/step.ts';
import { STATE_FORMAT } from './job/record/state-format.ts';
import { requestRecord } from './request-record.ts';
import { isSafeToRepeat } from './safe-to-repeat.ts';

const local = proxyLocalActivities<JobActivities>(LOCAL);
const ordinary = proxyActivities<JobActivities>(ORDINARY);

/**
 * The time for which an answer about the API of the cluster is used for a Job that depends on this API, in
 * milliseconds.
 */
const API_KNOWN_MS = 60_000;
/**
 * The time after which a decision about a Job with a PodGroup of Kubernetes 1.36 is made again: after an upgrade, its
 * pods wait for another PodGroup (J-8.27).
 */
const LOOK_FOR_API_MS = 300_000;

export type JobWorkflowInput = RunInput<JobState, Compacted, Settings>;

/**
 * Controls one Job until the Job is gone and its pods are released: folds signals, makes steps, and carries out
 * decisions by activities.
 */
export async function jobWorkflow(input: JobWorkflowInput): Promise<void> {
  let { job } = input;
  const { firstExecutionRunId: firstRunId } = workflowInfo();
  /** The instant at which the run last asked for the API of its settings. */
  let apiKnownAt = Number.NEGATIVE_INFINITY;
  /** The part of a decision that is the same for the whole chain of runs. */
  const decider = (): Decider => ({
    cluster: job.cluster,
    jobUid: job.uid,
    subject: `${job.namespace}/${job.name}`,
    firstRunId,
  });
  return control<JobState, Compacted, Settings, StepDecision>(input, {
    initialState: core.INITIAL_STATE,
    stateFormat: STATE_FORMAT,
    fold: core.fold,
    step(state, now, settings, looksItself) {
      // A pod of another namespace that names the UID of the Job may have been observed first, and may have started
      // this run.
      if (state.job !== null) job = { ...job, namespace: state.job.namespace, name: state.job.name };
      const taken = step(core, { decider: decider(), state, now, settings });
      const isToLook =
        settings.gangScheduling === 'served' &&
        state.gang !== null &&
        dependsOnSchedulingApi(state, settings);
      const nextDecisionAt = looksItself ? taken.nextDecisionAt : withoutFirstLookUps(taken, now, settings);
      return {
        ...taken,
        nextDecisionAt: isToLook ? earliest(nextDecisionAt, now + LOOK_FOR_API_MS) : nextDecisionAt,
      };
    },
    isOver,
    recall: () =>
      locallyAtFirst(
        () => local.recall(job),
        () => ordinary.recall(job),
      ),
    reportFault: (fault, goesOn) => ordinary.reportFault({ job, fault, ...(goesOn && { goesOn }) }),
    carryOut: (decision, received) => carryOut({ ...decision, job, received }),
    merged: (own, given) => withKnownApi(given, own),
    completing(state, now, settings) {
      if (settings.gangScheduling === undefined || !dependsOnSchedulingApi(state, settings)) return null;
      if (settings.gangScheduling !== 'where-served' && now < apiKnownAt + API_KNOWN_MS) return null;
      apiKnownAt = now;
      return schedulingApi().then((api) => (before) => ({ ...before, gangScheduling: api }));
    },
    requests: {
      requestRecord(action, by, eventKey) {
        const { cluster, jobUid, subject } = decider();
        return requestRecord({ of: { cluster, jobUid }, subject }, { action, by }, eventKey);
      },
      foldedRequest: ({ id, digest, type, data }) => ({ id, digest, type, ...requestIn(data) }),
    },
  });
}

/** For a Job with more pods than this, a timer costs less than the second decision that the timer avoids. */
const FEW_PODS = 20;

/**
 * The time of the next decision; the first look-ups of unobserved pods are left out (J-3.21), because the dispatcher
 * asks for these look-ups, so that the usual Job needs no timer.
 */
function withoutFirstLookUps(
  { state, nextDecisionAt }: StepResult<JobState, StepDecision>,
  now: number,
  settings: Settings,
): number | null {
  const pods = Object.entries(state.pods);
  if (pods.length > FEW_PODS || !pods.some(([, { unseen }]) => unseen === true)) return nextDecisionAt;
  const seen = pods.map(([uid, { unseen: _unseen, ...pod }]) => [uid, pod] as const);
  return core.decide({ ...state, pods: Object.fromEntries(seen) }, now, settings).nextDecisionAt;
}

/** Asks for the API of Workloads and PodGroups that the cluster serves. */
function schedulingApi(): Promise<SchedulingApi> {
  return locallyAtFirst(
    () => local.schedulingApi(),
    () => ordinary.schedulingApi(),
  );
}

/**
 * Carries out a decision by a local activity when its commands are safe to repeat, and by an ordinary activity
 * otherwise.
 */
function carryOut(input: CarryOutInput): ReturnType<JobActivities['carryOut']> {
  if (!isSafeToRepeat(input.decided.data.commands)) return ordinary.carryOut(input);
  return locallyAtFirst(
    () => local.carryOut(input),
    () => ordinary.carryOut(input),
  );
}
