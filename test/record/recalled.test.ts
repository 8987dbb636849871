import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import { compact } from '../../workflows/job/observe/compact.ts';
import { JOB } from '../../workflows/job/kind.ts';
import { compactRecalled, recalledForm } from '../../workflows/record/recalled.ts';
import { randomStreams } from '../support/random-streams.ts';

describe('the short form in which a workflow reads an event', () => {
  let events: JobEvent[];
  beforeAll(async () => {
    events = [...(await randomStreams(40, 20261125))].flat();
  }, 60_000);

  it('folds to the same state as the event, for events of every type', () => {
    for (const event of events)
      expect(compactRecalled(JOB, recalledForm(JOB, event))).toStrictEqual(compact(event));
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(6);
  });

  it('contains no objects of the cluster', () => {
    const observed = events.filter(({ type }) => type === 'pod.observed' || type === 'job.observed');
    expect(observed.length).toBeGreaterThan(100);
    for (const event of observed) expect(recalledForm(JOB, event).data).not.toHaveProperty('object');
  });

  it('can be found again by id and digest', () => {
    for (const event of events)
      expect(recalledForm(JOB, event)).toMatchObject({
        id: event.id,
        type: event.type,
        digest: event.digest,
      });
  });
});
