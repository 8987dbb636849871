import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import { versions } from '../../workflows/cores/versions.ts';
import { replaySteps } from '../../workflows/history/replay/replay-steps.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { JobDetached, JobSubmitted } from '../../workflows/job/events.ts';
import { aRunJob, failingFirst } from '../history/stories.ts';
import { jobReleased, jobSubmitted, submissionReceived } from '../projector/builders.ts';

describe('an event type that is newer than a core', () => {
  it('does not change the state of that core', () => {
    const { present } = JOB_CORES;
    const [before, last] = versions<Core>(
      [{ ...present, compact: () => undefined as unknown as null }],
      present,
    ).all;
    expect(before?.compact(jobSubmitted(1))).toBeNull();
    expect(last).toBe(present);
  });

  it('does not change the state of an old core when the present core knows the type (a submission, a detachment)', () => {
    for (const event of [jobSubmitted(1), submissionReceived(1), jobReleased(1)])
      expect(JOB_CORES.present.compact(event)).toBeNull();
  });
});

describe('the stream of a submitted Job', () => {
  it('is verified and replayed, and answers a what-if, like the stream of any other Job', async () => {
    const [first, ...rest] = await aRunJob({ completions: 1 }, failingFirst(1));
    if (first === undefined) throw new Error('an empty stream');
    const { cluster, jobUid } = first.data as { cluster: string; jobUid: string };
    const submitted = withDigest<JobSubmitted>({
      ...(jobSubmitted(1) as JobSubmitted),
      time: first.time,
      data: { cluster, jobUid, submission: 's1', by: 'ann' },
    });
    const stream = [first, submitted, ...rest];
    expect(verifyStream(stream).findings).toEqual([]);
    const steps = replaySteps(stream, 'end');
    expect(steps).toEqual(
      expect.arrayContaining([expect.objectContaining({ about: 'request', message: 'submitted by ann' })]),
    );
    expect(whatIf(stream, { backoffLimit: 0 })).toEqual(whatIf([first, ...rest], { backoffLimit: 0 }));
  });
});

describe('the stream of a Job whose cluster was detached', () => {
  it('is verified and replayed, and answers a what-if, like the stream of any other Job', async () => {
    const stream = await aRunJob({ completions: 1 }, failingFirst(1));
    const [first] = stream;
    if (first === undefined) throw new Error('an empty stream');
    const { cluster, jobUid } = first.data as { cluster: string; jobUid: string };
    const event = jobReleased(1) as JobDetached;
    const released = withDigest<JobDetached>({ ...event, data: { ...event.data, cluster, jobUid } });
    const at = Math.floor(stream.length / 2);
    const withRelease = [...stream.slice(0, at), { ...released, time: first.time }, ...stream.slice(at)];
    expect(verifyStream(withRelease).findings).toEqual([]);
    expect(replaySteps(withRelease, 'end')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          about: 'detach',
          message:
            'the cluster is detached by ann; the tracking finalizer of 2 pods is removed; 1 of them still running, to be counted by nobody; 1 pod ended and not counted; nobody controls the Job from now on',
        }),
      ]),
    );
    expect(whatIf(withRelease, { backoffLimit: 0 })).toEqual(whatIf(stream, { backoffLimit: 0 }));
  });
});
