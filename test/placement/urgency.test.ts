import { describe, expect, it } from '@jest/globals';
import { memberFacts } from '../../workflows/placement/observe/compact.ts';
import { placementUrgency } from '../../workflows/placement/observe/urgency.ts';
import type { PlacementFact } from '../../workflows/placement/facts.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { jobObject } from '../support/builders.ts';

/** A member as observed, with this status. */
function aMember(status: JobStatus, more: { generation?: number } = {}): PlacementFact {
  const job = jobObject({ uid: 'm1', version: '10', status });
  const member = { ...memberFacts('west', job), ...more };
  return { id: 'm', digest: 'd', type: 'member.observed', member };
}

const STARTED = { startTime: '2026-03-01T12:00:00Z', active: 1, ready: 0 };
const COMPLETE = { type: 'Complete', status: 'True' };

describe('the urgency of a fact about the member of a placed Job', () => {
  it.each([
    ['its start', aMember({}), aMember(STARTED), 'later'],
    ['its start, which is the first that is seen of it', undefined, aMember(STARTED), 'later'],
    ['a counter', aMember(STARTED), aMember({ ...STARTED, ready: 1 }), 'later'],
    ['nothing new', aMember(STARTED), aMember(STARTED), 'none'],
    ['its end', aMember(STARTED), aMember({ ...STARTED, conditions: [COMPLETE] }), 'now'],
    ['its end, which is the first that is seen of it', undefined, aMember({ conditions: [COMPLETE] }), 'now'],
    [
      'its suspension',
      aMember(STARTED),
      aMember({ conditions: [{ type: 'Suspended', status: 'True' }] }),
      'now',
    ],
    ['another spec', undefined, aMember(STARTED, { generation: 2 }), 'now'],
  ] as const)('depends on the change of the member: %s', (_what, previous, next, urgency) => {
    expect(placementUrgency(previous, next)).toBe(urgency);
  });
});
