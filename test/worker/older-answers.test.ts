import { describe, expect, it } from '@jest/globals';
import type { OlderAnswer } from '../../services/live-topic/older-answer.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { createReportOlder } from '../../services/worker/activities/older-answers.ts';
import type { Command } from '../../workflows/job/commands.ts';
import { CLUSTER, jobObject, JOB_NAME, JOB_UID } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn } from './a-played-server.ts';

type WriteStatus = Extract<Command, { kind: 'WriteStatus' }>;

/** Writes a status that was decided at version 900, where the API server has the Job at `live`; returns what is reported. */
async function reportedOnWrite(live: string, command: Partial<WriteStatus> = {}): Promise<OlderAnswer[]> {
  const server = aPlayedServer(jobObject({ version: live, status: { active: 1 } }));
  const reported: OlderAnswer[] = [];
  const write: WriteStatus = {
    kind: 'WriteStatus',
    why: { rule: 'J-3.50', message: '' },
    resourceVersion: '900',
    generation: 1,
    from: { active: 3 },
    to: { active: 2 },
    counted: { succeeded: [], failed: [] },
    ...command,
  };
  await carryOutJob(
    { ...dependenciesOn(server.client), reportOlder: (_cluster, answer) => void reported.push(answer) },
    anInput([write]),
    { number: 1, signal: new AbortController().signal, before: NO_PROGRESS, report: () => undefined },
  );
  return reported;
}

const ANSWER: OlderAnswer = {
  epoch: 0,
  resource: 'jobs',
  namespace: 'default',
  name: JOB_NAME,
  uid: JOB_UID,
  resourceVersion: '900',
};

describe('the answer to a write of a status', () => {
  it('is reported when it shows a lower version of the Job than the decision knew', async () => {
    expect(await reportedOnWrite('850')).toEqual([ANSWER]);
  });

  it('is reported with the epoch of the version that the decision knew', async () => {
    expect(await reportedOnWrite('850', { epoch: 2 })).toEqual([{ ...ANSWER, epoch: 2 }]);
  });

  it.each(['900', '901', '1000'])('is not reported when it shows version %s', async (live) => {
    expect(await reportedOnWrite(live)).toEqual([]);
  });
});

describe('the reports of a worker about older versions', () => {
  it('are sent at growing intervals in one epoch of a cluster', () => {
    const sent: [string, number][] = [];
    const epochs: Record<string, number> = { east: 0, west: 0 };
    let now = 0;
    const reportOlder = createReportOlder({
      report: (cluster) => Promise.resolve(void sent.push([cluster, now])),
      getEpoch: (cluster) => epochs[cluster] ?? 0,
      log: silentLog(),
      now: () => now,
    });
    for (; now < 60_000; now += 1000) reportOlder('east', ANSWER);
    reportOlder('west', ANSWER);
    epochs['east'] = 1;
    reportOlder('east', ANSWER);
    reportOlder('east', { ...ANSWER, epoch: 1 });
    expect(sent).toEqual([
      ['east', 0],
      ['east', 10_000],
      ['east', 30_000],
      ['west', 60_000],
      ['east', 60_000],
    ]);
  });

  it('are not sent for a version of an earlier epoch, whose restore is known', () => {
    const sent: number[] = [];
    const reportOlder = createReportOlder({
      report: (_cluster, { epoch }) => Promise.resolve(void sent.push(epoch)),
      getEpoch: () => 1,
      log: silentLog(),
      now: () => 0,
    });
    for (const epoch of [0, 1, 0, 1]) reportOlder('east', { ...ANSWER, epoch });
    expect(sent).toEqual([1]);
  });

  it('are logged as an error when Kafka does not accept them', async () => {
    const lines: object[] = [];
    const reportOlder = createReportOlder({
      report: () => Promise.reject(new Error('not authorized')),
      getEpoch: () => 0,
      log: { ...silentLog(), error: (fields: object) => void lines.push(fields) } as never,
      now: () => 0,
    });
    reportOlder(CLUSTER, ANSWER);
    await Promise.resolve();
    await Promise.resolve();
    expect(lines).toEqual([expect.objectContaining({ cluster: CLUSTER, error: 'not authorized' })]);
  });
});
