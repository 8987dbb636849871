import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verifyStream } from '../../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { compact } from '../../../workflows/job/observe/compact.ts';
import { replay } from '../../../workflows/job/record/replay.ts';
import { RECORDED_REASONS } from '../../../services/ingester/kubernetes-events/reasons.ts';
import { aKubernetesEvent } from '../../history/a-kubernetes-event.ts';
import { aRunJob, failingFirst } from '../../history/stories.ts';

const reports = fc.array(
  fc.record({ at: fc.nat(100), reason: fc.constantFrom(...RECORDED_REASONS), note: fc.string() }),
  { maxLength: 8 },
);

/** The stream with Kubernetes Events at these places, about pods of the stream in turn. */
function withEvents(
  stream: readonly JobEvent[],
  added: readonly { at: number; reason: string; note: string }[],
): JobEvent[] {
  const pods = stream.flatMap((event) => (event.type === 'pod.observed' ? [event.data.object.metadata] : []));
  const events = [...stream];
  for (const [index, { at, ...members }] of added.entries()) {
    const place = at % (events.length + 1);
    const near = events[Math.min(place, events.length - 1)];
    const { uid = '', name = '' } = pods[index % pods.length] ?? {};
    if (near === undefined) throw new Error('an empty stream');
    const regarding = { kind: 'Pod' as const, uid, name };
    const event = aKubernetesEvent(near, {
      lastAt: near.time,
      eventUid: `e${index}`,
      regarding,
      ...members,
    });
    events.splice(place, 0, event);
  }
  return events;
}

describe('Kubernetes Events anywhere in the stream of a Job', () => {
  it('are no facts for the core: no Event is folded, and no run gets a signal', async () => {
    const [first] = await aRunJob({ completions: 1 });
    if (first === undefined) throw new Error('an empty stream');
    expect(compact(aKubernetesEvent(first, { lastAt: first.time }))).toBeNull();
  });

  it('change no decision and no state: each decision still verifies, and every what-if gives the same answer', async () => {
    const stream = await aRunJob({ completions: 2 }, failingFirst(1));
    const other = whatIf(stream, { backoffLimit: 0 });
    const state = replay(stream);
    fc.assert(
      fc.property(reports, (added) => {
        const events = withEvents(stream, added);
        expect(verifyStream(events).findings).toEqual([]);
        expect(verifyStream(events).decisions).toBe(verifyStream(stream).decisions);
        expect(whatIf(events, { backoffLimit: 0 })).toEqual(other);
        expect(replay(events)).toEqual(state);
      }),
      { numRuns: 30 },
    );
  });
});
