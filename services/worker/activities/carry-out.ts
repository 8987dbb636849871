import type { JobRef, Order } from '../../../workflows/activities.ts';
import type { Answer } from '../../../workflows/job/outcomes.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { answerId } from '../../../workflows/job/record/decision-id.ts';
import { digestOf } from '../../../workflows/job/record/digest.ts';
import type { CommandAnswered, JobEvent, Unstamped } from '../../../workflows/job/events.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { faultPoint } from '../../adapters/fault-points.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/log.ts';
import type { CountDecision } from '../metrics.ts';
import { hasFailed, type AnyAnswer } from './answer-to.ts';
import { createPods } from './create-pods.ts';
import { deleteJob } from './delete-job.ts';
import { deletePods } from './delete-pods.ts';
import { emitOnJob } from './events-on-job.ts';
import { lookUpJob, lookUpOrphans, lookUpPods } from './look-up.ts';
import { adoptPods, disownPods, releasePods } from './pod-patches.ts';
import { setSuspend } from './set-suspend.ts';
import { isNotFound, jobPath, type Site } from './site.ts';
import { writeStatus } from './write-status.ts';

export interface CarryOutNeeds {
  client: KubernetesClient;
  appender: Appender;
  log: Log;
  count: CountDecision;
}

/** How far an order has been carried out. */
export interface Progress {
  /** The decision stands in the ledger. */
  isRecorded: boolean;
  /** What the cluster answered to the first commands, in order; so many of these outcomes stand in the ledger. */
  answered: Unstamped<CommandAnswered>[];
  appended: number;
}

export const NO_PROGRESS: Progress = { isRecorded: false, answered: [], appended: 0 };

/** How often this is being tried, what ends it, and how far the attempts before had come, as far as that is known. */
export interface Attempt {
  number: number;
  signal: AbortSignal;
  before: Progress;
  /** Tells the next attempt. */
  report(progress: Progress): void;
}

/**
 * Records the decision, carries out its commands in order, records the outcomes (the port's `carryOut`). What an attempt
 * before is known to have done is not done again: while a server is away for an hour, a decision is recorded once.
 */
export async function carryOut(
  needs: CarryOutNeeds,
  order: Order,
  attempt: Attempt,
): Promise<Unstamped<CommandAnswered>[]> {
  const start = performance.now();
  let { isRecorded, appended } = attempt.before;
  const answered = [...attempt.before.answered];
  const report = (): void => attempt.report({ isRecorded, answered: [...answered], appended });
  if (!isRecorded) {
    await needs.appender.append([...order.received, ...order.folded, order.decided].map(stamped));
    isRecorded = true;
    report();
  }
  faultPoint('after-decision');
  const readers = jobReaders(needs.client, order.job, attempt.signal);
  const { commands, now } = order.decided.data;
  try {
    for (const [at, command] of commands.entries()) {
      if (at < answered.length) continue;
      attempt.signal.throwIfAborted();
      const occasion = { decision: order.decided.id, now, command: at };
      const site = { ...needs, ...readers, job: order.job, occasion, signal: attempt.signal };
      const isSkipped = answered.some(({ data }) => data.answer.kind === 'skipped' || hasFailed(data.answer));
      const answer: AnyAnswer = isSkipped ? { kind: 'skipped' } : await answerTo(site, command);
      answered.push(recorded(order, at, attempt, { ...answer, at: Date.now() }));
      report();
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    }
  } finally {
    // Also of an attempt that broke off: what the cluster answered has happened.
    await needs.appender.append(answered.slice(appended).map(stamped));
    appended = answered.length;
    report();
  }
  const answers = answered.map(({ data }) => data.answer);
  needs.count(order, answers, (performance.now() - start) / 1000);
  return answered;
}

function stamped(event: Unstamped<JobEvent>): JobEvent {
  return { ...event, time: new Date().toISOString() } as JobEvent;
}

function answerTo(site: Site, command: Command): Promise<AnyAnswer> {
  switch (command.kind) {
    case 'CreatePods':
      return createPods(site, command);
    case 'DeletePods':
      return deletePods(site, command);
    case 'ReleasePods':
      return releasePods(site, command);
    case 'AdoptPods':
      return adoptPods(site, command);
    case 'DisownPods':
      return disownPods(site, command);
    case 'WriteStatus':
      return writeStatus(site, command);
    case 'EmitEvents':
      return emitOnJob(site, command.events).then(() => ({ kind: 'EmitEvents' }));
    case 'SetSuspend':
      return setSuspend(site, command);
    case 'RefuseRequest':
      return Promise.resolve({ kind: 'RefuseRequest', request: command.request });
    case 'LookUpJob':
      return lookUpJob(site);
    case 'LookUpPods':
      return lookUpPods(site, command);
    case 'DeleteJob':
      return deleteJob(site, command);
    case 'LookUpOrphans':
      return lookUpOrphans(site, command);
  }
}

function recorded(
  order: Order,
  command: number,
  attempt: Attempt,
  answer: Answer,
): Unstamped<CommandAnswered> {
  const { cluster, uid: jobUid } = order.job;
  const { id: decision, source, subject } = order.decided;
  const data = { cluster, jobUid, decision, command, attempt: attempt.number, answer };
  return {
    id: answerId(decision, command, data),
    type: 'command.answered',
    source,
    subject,
    digest: digestOf(data),
    data,
  };
}

/** Reads the Job as often as needed, and remembers the last answer. */
function jobReaders(
  client: KubernetesClient,
  job: JobRef,
  signal: AbortSignal,
): Pick<Site, 'readJob' | 'recentJob' | 'rememberJob'> {
  let recent: Job | null | undefined;
  const readJob = async (): Promise<Job | null> => {
    const found = await client
      .request<Job>({ method: 'GET', path: jobPath(job), signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return null;
        throw error;
      });
    recent = found?.metadata.uid === job.uid ? found : null;
    return recent;
  };
  return {
    readJob,
    recentJob: () => (recent === undefined ? readJob() : Promise.resolve(recent)),
    rememberJob: (written) => {
      recent = written;
    },
  };
}
