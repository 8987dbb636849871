import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createReportFault } from '../../services/worker/activities/report-fault.ts';

const job = { cluster: 'east', uid: 'u1', namespace: 'default', name: 'pi', kind: 'Job' as const };
const fault = "Cannot read properties of undefined (reading 'length')";

/** What a report leaves, in order. */
async function left(
  report: { goesOn?: boolean },
  keepFault = () => Promise.resolve(),
  times = 1,
): Promise<unknown[]> {
  const signs: unknown[] = [];
  const client = {
    cluster: 'east',
    request: ({ body }: { body: { type: string; reason: string } }) => {
      signs.push(`Event ${body.type} ${body.reason}`);
      return Promise.resolve({});
    },
  } as unknown as KubernetesClient;
  const dependencies = {
    client,
    log: { ...silentLog(), error: (fields: object) => void signs.push({ logged: fields }) } as never,
    now: () => 0,
    onFault: ({ goesOn }: { goesOn: boolean }) => void signs.push(goesOn ? 'slowed down' : 'faulty'),
    keepFault: (kept: object) => {
      signs.push({ kept });
      return keepFault();
    },
  };
  const reportFault = createReportFault(dependencies);
  for (let time = 0; time < times; time += 1)
    await reportFault({ job, fault, ...report }, new AbortController().signal);
  return signs;
}

describe('a workflow run that cannot decide', () => {
  it('is counted, logged, recorded as a dead letter, and shown by an Event', async () => {
    expect(await left({})).toEqual([
      'faulty',
      { logged: { job: 'east/u1', error: fault } },
      { kept: { job, fault } },
      'Event Warning NotDecided',
    ]);
  });

  it('is shown by an Event also when the dead letter cannot be written, which is logged', async () => {
    const refused = () => Promise.reject(new Error('not authorized'));
    expect((await left({}, refused)).slice(2)).toEqual([
      { kept: { job, fault } },
      { logged: { job: 'east/u1', error: 'not authorized' } },
      'Event Warning NotDecided',
    ]);
  });
});

describe('a workflow run that fails to decide after each edit of its Job', () => {
  it('is counted once, and recorded as one dead letter', async () => {
    const signs = await left({}, () => Promise.resolve(), 3);
    expect(signs.filter((sign) => sign === 'faulty')).toHaveLength(1);
    expect(signs.filter((sign) => typeof sign === 'object' && sign !== null && 'kept' in sign)).toEqual([
      { kept: { job, fault } },
    ]);
  });

  it('is recorded as a dead letter by a later attempt when the first attempt could not write it', async () => {
    let refusals = 1;
    const keepFault = () =>
      refusals-- > 0 ? Promise.reject(new Error('not authorized')) : Promise.resolve();
    const signs = await left({}, keepFault, 3);
    expect(signs.filter((sign) => sign === 'faulty')).toHaveLength(1);
    expect(signs.filter((sign) => typeof sign === 'object' && sign !== null && 'kept' in sign)).toHaveLength(
      2,
    );
  });
});

describe('a workflow run that is slowed down', () => {
  it('is counted, logged and shown by an Event, and recorded as no dead letter', async () => {
    expect(await left({ goesOn: true })).toEqual([
      'slowed down',
      { logged: { job: 'east/u1', error: fault } },
      'Event Warning DecidesInALoop',
    ]);
  });
});
