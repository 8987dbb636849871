import { describe, expect, it } from '@jest/globals';
import { addAwaitedJobs } from '../../services/ingester/translate/translate-awaited.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  translateJobDeletion,
  translateJob,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { jobObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';

const scope: TranslationScope = { cluster: 'east', claim: 'managed', redaction: REDACTION };
const time = '2026-03-01T12:00:00.000Z';

interface Fields {
  /** The value of the annotation, of a suspended Job. */
  after?: string;
  end?: 'Complete' | 'Failed';
  suspend?: boolean;
  managedBy?: string;
  uid?: string;
}

function aJobNamed(name: string, version: number, { after, end, uid, managedBy, suspend }: Fields = {}): Job {
  const condition = {
    type: end ?? '',
    status: 'True',
    reason: 'Why',
    lastTransitionTime: '2026-03-01T12:00:05Z',
  };
  return jobObject({
    name,
    uid: uid ?? `uid-of-${name}`,
    version: String(version),
    suspend: suspend ?? after !== undefined,
    ...(managedBy !== undefined && { managedBy }),
    ...(after !== undefined && { annotations: { 'jobledger.dev/after': after } }),
    ...(end !== undefined && { status: { conditions: [condition] } }),
  });
}

interface Recorded {
  id: string;
  stream: string;
  awaited: Record<string, unknown>;
}

/** What is recorded of awaited Jobs, in a live set that each call changes. */
function aRecorder(as = scope): {
  live: LiveSet;
  seen(job: Job): Recorded[];
  gone(job: Job, version?: number): Recorded[];
  vanished(uid: string): Recorded[];
} {
  const live = emptyLiveSet();
  const noted = (translated: ReturnType<typeof addAwaitedJobs>): Recorded[] => {
    for (const change of translated.changes) applyChange(live, change);
    return translated.events.flatMap((event) =>
      event.type === 'awaited-job.observed'
        ? [{ id: event.id, stream: event.data.jobUid, awaited: { ...event.data.awaited } }]
        : [],
    );
  };
  const deleted = (uid: string, at: { job?: Job; resourceVersion: string; time: string }): Recorded[] =>
    noted(addAwaitedJobs(as, live, translateJobDeletion(as, live, uid, at), at));
  return {
    live,
    seen: (job) =>
      noted(
        addAwaitedJobs(as, live, translateJob(as, job, time), {
          time,
          resourceVersion: job.metadata.resourceVersion,
        }),
      ),
    gone: (job, version = 99) => deleted(job.metadata.uid, { job, resourceVersion: String(version), time }),
    vanished: (uid) => deleted(uid, { resourceVersion: '99', time }),
  };
}

describe('the Jobs for which a Job waits (J-12.6)', () => {
  it('are recorded in the stream of the waiting Job when that Job appears, whether they exist or not', () => {
    const { seen } = aRecorder();
    seen(aJobNamed('extract', 3, { end: 'Complete' }));
    expect(seen(aJobNamed('load', 5, { after: 'extract, check' }))).toEqual([
      {
        id: 'east/awaited/uid-of-load/uid-of-extract/3/by/5',
        stream: 'uid-of-load',
        awaited: {
          name: 'extract',
          resourceVersion: '3',
          uid: 'uid-of-extract',
          end: { type: 'Complete', reason: 'Why', at: '2026-03-01T12:00:05Z' },
        },
      },
      {
        id: 'east/awaited/uid-of-load/none/check/by/5',
        stream: 'uid-of-load',
        awaited: { name: 'check', resourceVersion: '5', since: '2026-03-01T12:00:00Z' },
      },
    ]);
  });

  it('are recorded with their end also when they are placed Jobs, which themselves wait for no Job (J-16.1)', () => {
    const managedBy = 'jobledger.dev/placement';
    const { seen } = aRecorder();
    seen(aJobNamed('load', 2, { after: 'extract' }));
    expect(seen(aJobNamed('extract', 3, { managedBy }))).toMatchObject([{ stream: 'uid-of-load' }]);
    expect(seen(aJobNamed('extract', 4, { managedBy, end: 'Complete' }))).toMatchObject([
      { stream: 'uid-of-load', awaited: { end: { type: 'Complete' } } },
    ]);
    expect(seen(aJobNamed('publish', 5, { managedBy, after: 'extract' }))).toEqual([]);
  });

  it('are recorded again when they appear, end and disappear, not when another field changes', () => {
    const { seen, gone } = aRecorder();
    seen(aJobNamed('load', 2, { after: 'extract' }));
    expect(seen(aJobNamed('extract', 3))).toMatchObject([
      { id: 'east/awaited/uid-of-load/uid-of-extract/3', awaited: { uid: 'uid-of-extract' } },
    ]);
    expect(seen(aJobNamed('extract', 4))).toEqual([]);
    expect(seen(aJobNamed('extract', 5, { end: 'Failed' }))).toMatchObject([
      { awaited: { end: { type: 'Failed' } } },
    ]);
    expect(gone(aJobNamed('extract', 5, { end: 'Failed' }), 6)).toMatchObject([
      {
        id: 'east/awaited/uid-of-load/uid-of-extract/6/gone',
        awaited: { gone: true, end: { type: 'Failed' } },
      },
    ]);
  });

  it('are recorded as ended when the watch missed the deletion of an ended Job', () => {
    const { seen, vanished } = aRecorder();
    seen(aJobNamed('load', 2, { after: 'extract' }));
    seen(aJobNamed('extract', 3, { end: 'Complete' }));
    expect(vanished('uid-of-extract')).toMatchObject([
      {
        id: 'east/awaited/uid-of-load/uid-of-extract/3/gone',
        awaited: { gone: true, end: { type: 'Complete' } },
      },
    ]);
  });

  it('include the Jobs for which the recorded Jobs wait, and their changes', () => {
    const { seen } = aRecorder();
    seen(aJobNamed('extract', 1));
    expect(seen(aJobNamed('load', 2, { after: 'transform' }))).toHaveLength(1);
    const appeared = seen(aJobNamed('transform', 3, { after: 'extract' }));
    expect(appeared.map(({ stream, awaited }) => [stream, awaited['name']])).toEqual([
      ['uid-of-transform', 'extract'],
      ['uid-of-load', 'transform'],
      ['uid-of-load', 'extract'],
    ]);
    expect(seen(aJobNamed('extract', 4, { end: 'Complete' })).map(({ stream }) => stream)).toEqual([
      'uid-of-transform',
      'uid-of-load',
    ]);
    // A Job that was resumed waits for nothing any more.
    expect(seen(aJobNamed('transform', 5, { after: 'extract', suspend: false }))).toMatchObject([
      { stream: 'uid-of-load', awaited: { name: 'transform' } },
    ]);
  });

  it('are recorded in the streams of all Jobs of a cycle', () => {
    const { seen } = aRecorder();
    seen(aJobNamed('a', 1, { after: 'b' }));
    const closed = seen(aJobNamed('b', 2, { after: 'a' }));
    expect(closed.map(({ stream, awaited }) => [stream, awaited['name'], awaited['waitsFor']])).toEqual([
      ['uid-of-b', 'a', ['b']],
      ['uid-of-a', 'b', ['a']],
    ]);
  });

  it('are recorded again with other ids when the annotation changes', () => {
    const { seen } = aRecorder();
    seen(aJobNamed('extract', 1));
    const first = seen(aJobNamed('load', 2, { after: 'extract' }));
    expect(seen(aJobNamed('load', 3, { after: 'other' }))).toMatchObject([{ awaited: { name: 'other' } }]);
    const again = seen(aJobNamed('load', 4, { after: 'extract' }));
    expect([...first, ...again].map(({ id }) => id)).toEqual([
      'east/awaited/uid-of-load/uid-of-extract/1/by/2',
      'east/awaited/uid-of-load/uid-of-extract/1/by/4',
    ]);
  });

  it('are recorded with the same ids when the same events are translated again', () => {
    const [one, other] = [aRecorder(), aRecorder()];
    const history = [
      aJobNamed('extract', 1),
      aJobNamed('load', 2, { after: 'extract, transform' }),
      aJobNamed('transform', 3, { after: 'extract' }),
      aJobNamed('extract', 4, { end: 'Complete' }),
    ];
    const ids = history.flatMap((job) => one.seen(job)).map(({ id }) => id);
    expect(history.flatMap((job) => other.seen(job)).map(({ id }) => id)).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ['that another controller manages', { after: 'extract', managedBy: 'example.com/other' }],
    ['that is not suspended', { after: 'extract', suspend: false }],
    ['that has ended', { after: 'extract', end: 'Failed' as const }],
    ['with an invalid annotation', { after: 'extract=Done' }],
  ])('are not recorded in the stream of a Job %s', (_words, fields) => {
    const { seen } = aRecorder();
    expect(seen(aJobNamed('load', 2, fields))).toEqual([]);
    expect(seen(aJobNamed('extract', 3, { end: 'Complete' }))).toEqual([]);
  });

  it('are at most 100 Jobs, however many Jobs wait for each other', () => {
    const { seen } = aRecorder();
    for (let at = 150; at > 0; at -= 1) seen(aJobNamed(`job-${at}`, 200 - at, { after: `job-${at + 1}` }));
    const recorded = seen(aJobNamed('job-0', 300, { after: 'job-1' }));
    expect(recorded).toHaveLength(100);
    expect(recorded.at(-1)).toMatchObject({ awaited: { name: 'job-100' } });
    // What happens further away is not recorded for it.
    const [near, far] = [
      aJobNamed('job-100', 301, { suspend: true }),
      aJobNamed('job-101', 302, { suspend: true }),
    ];
    expect(seen(near).some(({ stream }) => stream === 'uid-of-job-0')).toBe(true);
    expect(seen(far).some(({ stream }) => stream === 'uid-of-job-0')).toBe(false);
  });

  it('are recorded a limited number of times, however often another client changes a Job for which many wait, and the end of that Job is recorded for each waiting Job', () => {
    const { seen } = aRecorder();
    const waiting = 1000;
    for (let at = 0; at < waiting; at += 1) seen(aJobNamed(`w${at}`, 10 + at, { after: 'hub' }));
    const invented = (by: string): string =>
      Array.from({ length: 99 }, (_none, at) => `${by}${at}`).join(',');
    expect(seen(aJobNamed('hub', 2001, { suspend: true }))).toHaveLength(waiting);
    const counts = ['x', 'y', 'x'].map(
      (by, at) => seen(aJobNamed('hub', 2002 + at, { after: invented(by) })).length,
    );
    for (const count of counts) expect(count).toBeLessThanOrEqual(600);
    const ended = seen(aJobNamed('hub', 3000, { end: 'Complete' }));
    expect(new Set(ended.map(({ stream }) => stream)).size).toBe(waiting);
    expect(ended).toHaveLength(waiting);
  });

  it('are recorded when a list shows them, if the live set contains only their names', () => {
    const { live, seen } = aRecorder();
    seen(aJobNamed('extract', 1));
    seen(aJobNamed('load', 2, { after: 'extract' }));
    for (const [uid, job] of live.jobs) live.jobs.set(uid, { ...job, resourceVersion: '0' });
    expect(seen(aJobNamed('load', 2, { after: 'extract' }))).toEqual([]);
    expect(seen(aJobNamed('extract', 3))).toMatchObject([{ stream: 'uid-of-load' }]);
  });

  it('are the Jobs that were created last under their names, although the deletion of older Jobs is recorded later', () => {
    const { seen, vanished } = aRecorder();
    seen(aJobNamed('load', 2, { after: 'extract' }));
    seen(aJobNamed('extract', 3));
    expect(seen(aJobNamed('extract', 8, { uid: 'anew' }))).toMatchObject([{ awaited: { uid: 'anew' } }]);
    expect(vanished('uid-of-extract')).toEqual([]);
    expect(seen(aJobNamed('extract', 9, { uid: 'anew', end: 'Complete' }))).toHaveLength(1);
  });
});
