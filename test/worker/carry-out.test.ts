import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { Appender } from '../../services/adapters/kafka/append.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import {
  carryOutJob,
  type JobDependencies,
  type JobAttempt,
  type JobProgress,
} from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { decisionCounter, ruleCounter } from '../../services/worker/metrics.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { Command } from '../../workflows/job/commands.ts';
import * as core from '../../workflows/job/core.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { step } from '../../workflows/job/step.ts';
import {
  aJob,
  CLUSTER,
  DECIDER,
  JOB_NAME,
  JOB_UID,
  jobObject,
  podObject,
  START,
} from '../support/builders.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

/** The first decision on a Job: a pod is created, and the status written. */
function anInput(): CarryOutInput {
  const { decision } = step(core, {
    decider: DECIDER,
    state: core.fold(core.INITIAL_STATE, [aJob()]),
    now: START,
    settings: DEFAULT_SETTINGS,
  });
  if (decision === null) throw new Error('nothing was decided');
  const job = { cluster: CLUSTER, uid: JOB_UID, namespace: 'default', name: JOB_NAME, kind: 'Job' as const };
  return { ...decision, job, received: [] };
}

/** An API server that accepts everything. */
const client: KubernetesClient = {
  cluster: CLUSTER,
  stream: () => Promise.reject(new Error('nothing is watched')),
  request: <T>({ method, path, body }: ApiRequest) => {
    if (method === 'POST' && path.endsWith('/pods')) return Promise.resolve(podObject() as T);
    return Promise.resolve((method === 'PUT' ? body : jobObject()) as T);
  },
};

function firstAttempt(): JobAttempt {
  const { signal } = new AbortController();
  return { number: 1, signal, before: NO_PROGRESS, report: () => undefined };
}

/** Repeats an activity as Temporal does: each attempt gets the heartbeat of the one before, as JSON. */
async function attemptsUntilDone(
  dependencies: JobDependencies,
  input: CarryOutInput,
): Promise<{ attempts: number; answered: Awaited<ReturnType<typeof carryOutJob>> }> {
  let before: JobProgress = NO_PROGRESS;
  const report = (progress: JobProgress): void => {
    before = JSON.parse(JSON.stringify(progress)) as JobProgress;
  };
  for (let number = 1; ; number += 1) {
    try {
      return {
        attempts: number,
        answered: await carryOutJob(dependencies, input, { ...firstAttempt(), number, before, report }),
      };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
}

function dependenciesWith(given: Pick<JobDependencies, 'client' | 'appender'>): JobDependencies {
  return {
    ...given,
    log: silentLog(),
    count: decisionCounter(createMetrics(), () => true),
    reportOlder: () => undefined,
    claimed: createClaimedJobs('managed'),
    now: () => START,
  };
}

describe('a decision whose outcomes need several attempts', () => {
  it('is recorded once, with one outcome for each command, after an outage of the API server between two commands', async () => {
    const appended: JobEvent[] = [];
    const append = (events: readonly JobEvent[]): Promise<void> => {
      appended.push(...events);
      return Promise.resolve();
    };
    const requests: string[] = [];
    let refusals = 1800;
    const away: KubernetesClient = {
      ...client,
      request: <T>(request: ApiRequest) => {
        requests.push(request.method);
        if (request.method === 'PATCH' && refusals > 0) {
          refusals -= 1;
          return Promise.reject<T>(new UnavailableError('connection refused'));
        }
        return client.request<T>(request);
      },
    };
    const appender = { append } as unknown as Appender;
    const dependencies = dependenciesWith({ client: away, appender });
    const { attempts, answered } = await attemptsUntilDone(dependencies, anInput());
    expect(attempts).toBe(1801);
    expect(appended.map(({ type }) => type)).toEqual(['job.decided', 'outcome.recorded', 'outcome.recorded']);
    expect(answered.map(({ data }) => [data.attempt, data.outcome.kind])).toEqual([
      [1, 'CreatePods'],
      [1801, 'WriteStatus'],
    ]);
    expect(requests.filter((method) => method === 'POST')).toHaveLength(2);
  });

  it('is recorded once, with one outcome for each command, after Kafka had rejected the outcomes', async () => {
    const appended: JobEvent[] = [];
    let failures = 2;
    const append = (events: readonly JobEvent[]): Promise<void> => {
      if (events.some(({ type }) => type === 'outcome.recorded') && failures > 0) {
        failures -= 1;
        return Promise.reject(new UnavailableError('Kafka is away'));
      }
      appended.push(...events);
      return Promise.resolve();
    };
    const appender = { append } as unknown as Appender;
    const dependencies = dependenciesWith({ client, appender });
    const { attempts } = await attemptsUntilDone(dependencies, anInput());
    expect(attempts).toBe(3);
    expect(appended.map(({ type }) => type)).toEqual(['job.decided', 'outcome.recorded', 'outcome.recorded']);
  });
});

describe('a decision with outcomes larger than a heartbeat', () => {
  it('has a heartbeat with only the first outcomes, so that another attempt repeats the commands after them', async () => {
    const input = anInput();
    const uid = 'u'.repeat(1000);
    const pods = Array.from({ length: 1000 }, (_none, at) => ({ uid, name: `pi-${at}` }));
    const deletion: Command = {
      kind: 'DeletePods',
      untrack: false,
      pods,
      why: { rule: 'J-3.57', message: '' },
    };
    const commands = Array.from({ length: 6 }, () => deletion);
    const large = { ...input, decided: { ...input.decided, data: { ...input.decided.data, commands } } };
    const reports: JobProgress[] = [];
    const attempt = { ...firstAttempt(), report: (progress: JobProgress) => void reports.push(progress) };
    const appender = { append: () => Promise.resolve() } as unknown as Appender;
    const answered = await carryOutJob(dependenciesWith({ client, appender }), large, attempt);
    expect(answered).toHaveLength(6);
    expect(Math.max(...reports.map((each) => JSON.stringify(each).length))).toBeLessThan(4.1 * 1024 * 1024);
    const { appended = 0, ...last } = reports.at(-1) ?? {};
    expect(appended).toBeLessThan(6);
    expect(last).toMatchObject({ isRecorded: true, answered: answered.slice(0, appended) });
  });
});

describe('a decision whose first command is refused', () => {
  it('has no further command sent, because the other commands assume the success of the first', async () => {
    const refusal = { status: 403, reason: 'Forbidden', message: 'exceeded quota: pods', causes: [] };
    const requests: string[] = [];
    const full: KubernetesClient = {
      ...client,
      request: <T>(request: ApiRequest) => {
        const { method, path } = request;
        requests.push(method);
        const isCreation = method === 'POST' && path.endsWith('/pods');
        return isCreation ? Promise.reject<T>(new KubernetesApiError(refusal)) : client.request<T>(request);
      },
    };
    const appender = { append: () => Promise.resolve() } as unknown as Appender;
    const answered = await carryOutJob(
      dependenciesWith({ client: full, appender }),
      anInput(),
      firstAttempt(),
    );
    expect(answered.map(({ data }) => data.outcome.kind)).toEqual(['CreatePods', 'skipped']);
    expect(requests).not.toContain('PUT');
  });
});

describe('a decision that the worker has carried out', () => {
  it('counts in the metrics when its outcomes are in the ledger, and only once when it is repeated (J-11.3)', async () => {
    const metrics = createMetrics();
    const samples = async () => findSamples(samplesIn(await metrics.text()), 'job_controller_job_');
    let isAway = true;
    const append: Appender['append'] = (events) =>
      isAway && events.some(({ type }) => type === 'outcome.recorded')
        ? Promise.reject(new Error('Kafka is away'))
        : Promise.resolve();
    const appender = { append } as unknown as Appender;
    const dependencies = {
      ...dependenciesWith({ client, appender }),
      count: decisionCounter(metrics, ruleCounter(metrics)),
    };
    const input = anInput();
    const attempt = firstAttempt();
    await expect(carryOutJob(dependencies, input, attempt)).rejects.toThrow('Kafka is away');
    expect(await samples()).toEqual({});
    isAway = false;
    const answered = await carryOutJob(dependencies, input, attempt);
    expect(answered.map(({ data }) => data.outcome.kind)).toEqual(['CreatePods', 'WriteStatus']);
    await carryOutJob(dependencies, input, { ...attempt, number: 2 });
    const labels = 'action="pods_created",completion_mode="NonIndexed",result="success"';
    expect(await samples()).toMatchObject({
      [`syncs_total{${labels}}`]: 1,
      'pods_creation_total{reason="new",status="succeeded"}': 1,
    });
  });
});
