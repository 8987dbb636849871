import { createLog } from '../../services/adapters/log.ts';
import type { Appender } from '../../services/adapters/kafka/append.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { carryOut } from '../../services/worker/activities/carry-out.ts';
import { countDecisions } from '../../services/worker/metrics.ts';
import type { Order } from '../../workflows/activities.ts';
import { decide } from '../../workflows/job/decide.ts';
import { decisionRecord } from '../../workflows/job/decision-record.ts';
import { fold } from '../../workflows/job/evolve.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { INITIAL_STATE } from '../../workflows/job/state.ts';
import { syncOf } from '../../workflows/job/sync.ts';
import { aJob, CLUSTER, JOB_NAME, JOB_UID, jobObject, podObject, START } from '../support/builders.ts';
import { samplesIn, samplesOf } from '../support/metrics.ts';

/** The first decision on a Job: a pod is created, and the status written. */
function anOrder(): Order {
  const state = fold(INITIAL_STATE, [aJob()]);
  const verdict = decide(state, START, DEFAULT_SETTINGS);
  const decider = { cluster: CLUSTER, jobUid: JOB_UID, subject: `default/${JOB_NAME}`, chain: 'run' };
  return {
    ...decisionRecord(decider, state, verdict, START, DEFAULT_SETTINGS),
    job: { cluster: CLUSTER, uid: JOB_UID, namespace: 'default', name: JOB_NAME },
    sync: syncOf(state, verdict, START, DEFAULT_SETTINGS),
    received: [],
  };
}

/** An API server that says yes. */
const client: KubernetesClient = {
  cluster: CLUSTER,
  stream: () => Promise.reject(new Error('nothing is watched')),
  request: <T>({ method, path, body }: ApiRequest) => {
    if (method === 'POST' && path.endsWith('/pods')) return Promise.resolve(podObject() as T);
    return Promise.resolve((method === 'GET' ? jobObject() : body) as T);
  },
};

describe('a decision that is carried out', () => {
  it('is counted once its outcomes are in the ledger, and once only when it is repeated (J-11.3)', async () => {
    const metrics = createMetrics();
    const samples = async () => samplesOf(samplesIn(await metrics.text()), 'job_controller_job_');
    let isAway = true;
    const append: Appender['append'] = (events) =>
      isAway && events.some(({ type }) => type === 'command.answered')
        ? Promise.reject(new Error('Kafka is away'))
        : Promise.resolve();
    const log = createLog('test');
    log.level = 'silent';
    const appender = { append } as unknown as Appender;
    const needs = { client, appender, log, count: countDecisions(metrics) };
    const order = anOrder();
    const attempt = { number: 1, signal: new AbortController().signal };
    await expect(carryOut(needs, order, attempt)).rejects.toThrow('Kafka is away');
    expect(await samples()).toEqual({});
    isAway = false;
    const answered = await carryOut(needs, order, attempt);
    expect(answered.map(({ data }) => data.answer.kind)).toEqual(['CreatePods', 'WriteStatus']);
    await carryOut(needs, order, { ...attempt, number: 2 });
    const labels = 'action="pods_created",completion_mode="NonIndexed",result="success"';
    expect(await samples()).toMatchObject({
      [`syncs_total{${labels}}`]: 1,
      'pods_creation_total{reason="new",status="succeeded"}': 1,
    });
  });
});
