import type { JobRef, Order } from '../../../workflows/activities.ts';
import type { Answer } from '../../../workflows/job/answers.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { answerId } from '../../../workflows/job/decision-id.ts';
import { digestOf } from '../../../workflows/job/digest.ts';
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

/** How often this is being tried, and what ends it. */
export interface Attempt {
  number: number;
  signal: AbortSignal;
}

/** Records the decision, carries out its commands in order, records the outcomes (the port's `carryOut`). */
export async function carryOut(
  needs: CarryOutNeeds,
  order: Order,
  attempt: Attempt,
): Promise<Unstamped<CommandAnswered>[]> {
  const start = performance.now();
  await needs.appender.append([...order.received, ...order.folded, order.decided].map(stamped));
  faultPoint('after-decision');
  const answered: Unstamped<CommandAnswered>[] = [];
  const readers = jobReaders(needs.client, order.job, attempt.signal);
  let failed = false;
  try {
    for (const [at, command] of order.decided.data.commands.entries()) {
      attempt.signal.throwIfAborted();
      const site = {
        ...needs,
        ...readers,
        job: order.job,
        occasion: { decision: order.decided.id, now: order.decided.data.now, command: at },
        signal: attempt.signal,
      };
      const answer: AnyAnswer = failed ? { kind: 'skipped' } : await answerTo(site, command);
      answered.push(recorded(order, at, attempt, { ...answer, at: Date.now() }));
      failed ||= hasFailed(answer);
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    }
  } finally {
    // Also of an attempt that broke off: what the cluster answered has happened.
    await needs.appender.append(answered.map(stamped));
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
