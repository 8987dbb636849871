import { ApplicationFailure, Context, type Info } from '@temporalio/activity';
import {
  UNUSABLE_STREAM,
  type CronJobActivities,
  type JobActivities,
  type ObjectRef,
  type PlacementActivities,
} from '../../../workflows/activities.ts';
import type { CronJobState } from '../../../workflows/cron-job/state.ts';
import type { PlacementState } from '../../../workflows/placement/state.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import type { AnyState } from '../../../workflows/kind.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { recall, type RecallDependencies } from '../recall/recall.ts';
import { UnusableStreamError } from '../recall/unusable-stream.ts';
import { placementOfAttempt, type ReadCandidates } from '../placement/placement.ts';
import { createAttemptClient } from './attempt/client.ts';
import { startAttemptDeadline, type AttemptDeadline } from './attempt/deadline.ts';
import { NO_PROGRESS, type Attempt, type Progress } from './attempt/progress.ts';
import { createSchedulingApi } from './job/scheduling-api.ts';
import {
  carryOutCronJob,
  carryOutJob,
  carryOutPlacedJob,
  type CronJobDependencies,
  type JobDependencies,
  type PlacementDependencies,
} from './carry-out-kinds.ts';
import { createReportFault, type FaultDependencies } from './report-fault.ts';

/** The interval of heartbeats, in milliseconds, which is shorter than every heartbeat time-out. */
const HEARTBEAT_MS = 1000;
/** The longest wait for a busy server, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;
/** The time after which an attempt ends with its progress, in milliseconds; a local attempt must end within 4 s. */
const LATE_MS = { local: 2000, ordinary: 5000 };

/** The activities of one cluster that Temporal calls. */
export function createActivities(
  dependencies: JobDependencies &
    CronJobDependencies &
    PlacementDependencies &
    RecallDependencies &
    FaultDependencies & { readCandidates: ReadCandidates },
): JobActivities & CronJobActivities & PlacementActivities {
  const { client } = dependencies;
  const reportFault = createReportFault(dependencies);
  const inAttempt = (guard: Guard) => ({ ...dependencies, client: guard(client) });
  return {
    carryOut: createActivity(dependencies, carryOutJob, inAttempt),
    carryOutCronJob: createActivity(dependencies, carryOutCronJob, inAttempt),
    carryOutPlacedJob: createActivity(dependencies, carryOutPlacedJob, (guard) =>
      placementOfAttempt(dependencies, guard),
    ),
    recall: (job) => recallInAttempt(dependencies, job) as Promise<JobState>,
    recallCronJob: (job) => recallInAttempt(dependencies, job) as Promise<CronJobState>,
    recallPlacedJob: (job) => recallInAttempt(dependencies, job) as Promise<PlacementState>,
    placementCandidates(input) {
      const { cancellationSignal: signal } = Context.current();
      return runWithHeartbeat(undefined, () => dependencies.readCandidates(client, input, signal));
    },
    reportFault: (report) => reportFault(report, Context.current().cancellationSignal),
    schedulingApi: createSchedulingApi(dependencies),
    zoneRules: (needs) => Promise.resolve(needs.map(zoneRules)),
  };
}

/** A decision of any kind to carry out. */
interface AnyOrder {
  job: ObjectRef;
  received?: readonly unknown[];
  folded: readonly { data: { folded: readonly unknown[] } }[];
  decided: { id: string; data: { folded: readonly unknown[] } };
}

/** Wraps a client for one attempt, so that it changes objects only before the deadline of the attempt. */
type Guard = (client: KubernetesClient) => KubernetesClient;

/** Creates the activity that carries out decisions with `carryOut` and the dependencies for one attempt. */
function createActivity<Dependencies, Order extends AnyOrder, Answered>(
  { snapshots }: RecallDependencies,
  carryOut: (of: Dependencies, order: Order, attempt: Attempt<Answered>) => Promise<Answered[]>,
  dependenciesOfAttempt: (guard: Guard) => Dependencies,
): (order: Order) => Promise<{ decision: string; received: number; answered: Answered[] }> {
  return async (order) => {
    const { job, received = [], folded, decided } = order;
    const answered = await runInAttempt<Answered>((guard, attempt) =>
      carryOut(dependenciesOfAttempt(guard), order, attempt),
    );
    const named = [...folded, decided].reduce((total, { data }) => total + data.folded.length, 0);
    snapshots.count(job, named + 1 + answered.length);
    return { decision: decided.id, received: received.length, answered };
  };
}

async function recallInAttempt(dependencies: RecallDependencies, job: ObjectRef): Promise<AnyState> {
  const { cancellationSignal: signal } = Context.current();
  try {
    return await runWithHeartbeat(undefined, () => recall(dependencies, job, signal));
  } catch (error) {
    if (!(error instanceof UnusableStreamError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, UNUSABLE_STREAM);
  }
}

/**
 * Carries out a decision in Temporal's present attempt, with the progress of earlier attempts, a deadline, and
 * heartbeats.
 */
function runInAttempt<Outcome>(
  work: (guard: Guard, attempt: Attempt<Outcome>) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const { info, cancellationSignal: signal } = Context.current();
  // The last heartbeat of the previous attempt; local activities have no heartbeat.
  const before = (info.heartbeatDetails as Progress<Outcome> | undefined) ?? NO_PROGRESS;
  const start = performance.now();
  const late = info.isLocal ? LATE_MS.local : LATE_MS.ordinary;
  const isLate = (): boolean => performance.now() - start > late;
  const longestWait = info.isLocal ? 'deadline' : LONGEST_WAIT_MS;
  return runWithHeartbeat(before, (report, deadline) => {
    const guardClient: Guard = (client) =>
      createAttemptClient(client, { deadline, signal, isLate, longestWait });
    return work(guardClient, { number: info.attempt, signal, before, report, isLate });
  });
}

/**
 * The time for which an attempt may act without a heartbeat, in milliseconds. Temporal gives up an ordinary attempt
 * after the time-out without a heartbeat; the last heartbeat that Temporal received is up to `HEARTBEAT_MS` older than
 * the last heartbeat that was sent.
 */
function deadlineMs({ isLocal, startToCloseTimeoutMs, heartbeatTimeoutMs }: Info): number {
  return isLocal ? startToCloseTimeoutMs : (heartbeatTimeoutMs ?? startToCloseTimeoutMs) - HEARTBEAT_MS;
}

/**
 * Runs `work` with heartbeats. Each heartbeat renews the deadline and repeats the last reported progress, which the
 * next attempt gets if this attempt ends.
 */
async function runWithHeartbeat<A, D>(
  details: D,
  work: (report: (progress: D) => void, deadline: AttemptDeadline) => Promise<A>,
): Promise<A> {
  const context = Context.current();
  const deadline = startAttemptDeadline(deadlineMs(context.info));
  // Temporal ignores heartbeats of local activities, but the SDK would encode each one.
  if (context.info.isLocal) return work(() => undefined, deadline);
  let last = details;
  const timer = setInterval(() => {
    deadline.renew();
    context.heartbeat(last);
  }, HEARTBEAT_MS);
  try {
    return await work((progress) => {
      last = progress;
      context.heartbeat(last);
    }, deadline);
  } finally {
    clearInterval(timer);
  }
}
