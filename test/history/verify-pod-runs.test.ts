import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/event-codec.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { CLUSTER, JOB_UID, jobObject, podObject, type PodFields } from '../support/builders.ts';
import { aRunJob } from './stories.ts';

const OF_JOB = { cluster: CLUSTER, jobUid: JOB_UID };
/** Beyond every version that the story has. */
const LATE = 10_000_000;

function event(type: JobEvent['type'], version: number, data: object): JobEvent {
  const time = '2027-03-01T12:00:00.000Z';
  const id = `${CLUSTER}/${type}/${version}`;
  return withDigest({ id, type, source: CLUSTER, subject: 'default/pi', time, data } as JobEvent);
}

const pod = (version: number, fields: PodFields, more: object = {}): JobEvent =>
  event('pod.observed', version, {
    ...OF_JOB,
    object: podObject({ ...fields, version: String(version) }),
    ...more,
  });

const ended = (version: number): JobEvent => {
  const lastTransitionTime = '2026-03-02T12:00:00Z';
  const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime }];
  const object = jobObject({ version: String(version), status: { succeeded: 1, conditions } });
  return event('job.observed', version, { ...OF_JOB, object });
};

/** Days after the start of the story, in seconds. */
const DAYS = 24 * 3600;

async function violations(...events: JobEvent[]): Promise<string[]> {
  const story = await aRunJob({ suspend: true });
  const { findings } = verifyStream([...story, ...events]);
  return findings.filter(({ type }) => type === 'violated').map(({ words }) => words);
}

describe('verify names', () => {
  it('a pod that was created after its Job had ended, once', async () => {
    const late = { name: 'pi-late', phase: 'Pending', unscheduled: true, created: 2 * DAYS };
    expect(await violations(ended(LATE), pod(LATE + 1, late), pod(LATE + 2, late))).toEqual([
      'the pod pi-late was created after the Job had ended',
    ]);
  });

  it('two pods of one index that were active at once', async () => {
    const found = await violations(
      pod(LATE, { name: 'pi-0-a', index: 0 }),
      pod(LATE + 1, { name: 'pi-0-b', index: 0 }),
      pod(LATE + 2, { name: 'pi-0-a', index: 0, ready: true }),
    );
    expect(found).toEqual(['two pods of index 0 were active at once: pi-0-a and another one']);
  });

  it('two pods of one index that succeeded', async () => {
    const done = (version: number, name: string): JobEvent =>
      pod(version, { name, index: 0, phase: 'Succeeded' });
    expect(
      await violations(done(LATE, 'pi-0-a'), done(LATE + 1, 'pi-0-b'), done(LATE + 2, 'pi-0-b')),
    ).toEqual(['two pods of index 0 succeeded: pi-0-b and another one']);
  });
});

describe('verify says nothing of', () => {
  it.each<[string, () => JobEvent[]]>([
    [
      'a pod that was created before the end, and seen after it by a list',
      () => [
        ended(LATE),
        pod(LATE + 1, { phase: 'Pending', unscheduled: true, created: 2 * DAYS }, { listedAt: '99999999' }),
      ],
    ],
    [
      'a replacement beside a pod that is being deleted (J-5.37)',
      () => [
        pod(LATE, { name: 'pi-0-a', index: 0 }),
        pod(LATE + 1, { name: 'pi-0-a', index: 0, deleted: 5 }),
        pod(LATE + 2, { name: 'pi-0-b', index: 0 }),
        pod(LATE + 3, { name: 'pi-0-a', index: 0, deleted: 5, phase: 'Succeeded' }),
        pod(LATE + 4, { name: 'pi-0-b', index: 0, phase: 'Succeeded' }),
      ],
    ],
    [
      'a replacement of a pod whose end the watch has lost',
      () => [
        pod(LATE, { name: 'pi-0-a', index: 0 }),
        pod(LATE + 1, { name: 'pi-0-b', index: 0 }),
        pod(LATE + 2, { name: 'pi-0-b', index: 0, ready: true }),
      ],
    ],
    [
      'a pod of another controller',
      () => [
        ended(LATE),
        pod(LATE + 1, { phase: 'Pending', unscheduled: true, created: 2 * DAYS, controller: 'another' }),
      ],
    ],
  ])('%s', async (_what, events) => {
    expect(await violations(...events())).toEqual([]);
  });
});
