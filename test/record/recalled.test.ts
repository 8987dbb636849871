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

  it('gives the core the same fact as the event itself, for events of every type', () => {
    for (const event of events)
      expect(compactRecalled(JOB, recalledForm(JOB, event))).toStrictEqual(compact(event));
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(6);
  });

  it('contains no object of the cluster', () => {
    const observed = events.filter(({ type }) => type === 'pod.observed' || type === 'job.observed');
    expect(observed.length).toBeGreaterThan(100);
    for (const event of observed) expect(recalledForm(JOB, event).data).not.toHaveProperty('object');
  });

  it('has the id, the type and the digest of the event', () => {
    for (const event of events)
      expect(recalledForm(JOB, event)).toMatchObject({
        id: event.id,
        type: event.type,
        digest: event.digest,
      });
  });
});
