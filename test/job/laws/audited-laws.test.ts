import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { replaySteps } from '../../../workflows/history/replay/replay-steps.ts';
import { verifyStream } from '../../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { compact } from '../../../workflows/job/observe/compact.ts';
import { anAuditedRequest } from '../../history/an-audited-request.ts';
import { aRunJob, failingFirst } from '../../history/stories.ts';

const VERBS = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

const requests = fc.array(
  fc.record({
    at: fc.nat(100),
    verb: fc.constantFrom(...VERBS),
    by: fc.string(),
    fields: fc.constantFrom(['spec.suspend'], ['spec.parallelism'], []),
    resourceVersion: fc.constantFrom('1', '1003', '99999'),
  }),
  { maxLength: 5 },
);

function withRequests(
  stream: readonly JobEvent[],
  added: readonly { at: number; verb: (typeof VERBS)[number]; by: string }[],
): JobEvent[] {
  const events = [...stream];
  for (const [index, { at, ...members }] of added.entries()) {
    const place = at % (events.length + 1);
    const near = events[Math.min(place, events.length - 1)];
    if (near === undefined) throw new Error('an empty stream');
    events.splice(
      place,
      0,
      anAuditedRequest(near, { receivedAt: near.time, auditId: `a${index}`, ...members }),
    );
  }
  return events;
}

describe('audited requests anywhere in the stream of a Job', () => {
  it('are no facts for the core: no request is folded, and no run gets a signal', async () => {
    const [first] = await aRunJob({ completions: 1 });
    if (first === undefined) throw new Error('an empty stream');
    expect(compact(anAuditedRequest(first, { receivedAt: first.time }))).toBeNull();
  });

  it('change no decision: each decision still verifies, and every what-if gives the same answer', async () => {
    const stream = await aRunJob({ completions: 2 }, failingFirst(1));
    const other = whatIf(stream, { backoffLimit: 0 });
    fc.assert(
      fc.property(requests, (added) => {
        const events = withRequests(stream, added);
        expect(verifyStream(events).findings).toEqual([]);
        expect(verifyStream(events).decisions).toBe(verifyStream(stream).decisions);
        expect(whatIf(events, { backoffLimit: 0 })).toEqual(other);
      }),
      { numRuns: 30 },
    );
  });

  it('are shown in the time line of the Job, at their place in the stream', async () => {
    const stream = await aRunJob({ completions: 1 });
    const [first] = stream;
    if (first === undefined) throw new Error('an empty stream');
    const request = anAuditedRequest(first, {
      receivedAt: first.time,
      by: 'root',
      impersonatedBy: 'bob',
      fields: ['spec.suspend'],
      userAgent: 'kubectl/v1.37.0 (linux/amd64)',
    });
    expect(replaySteps([...stream, request], 'end')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          about: 'request',
          message: 'patched by root, as whom bob acted, with kubectl/v1.37.0: spec.suspend',
        }),
      ]),
    );
  });
});
