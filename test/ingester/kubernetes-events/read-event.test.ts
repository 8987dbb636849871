import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventObject } from '../../../services/ingester/kubernetes-events/event-object.ts';
import { readEvent } from '../../../services/ingester/kubernetes-events/read-event.ts';
import { RECORDED_REASONS } from '../../../services/ingester/kubernetes-events/reasons.ts';
import { isPrintable } from '../../../services/adapters/printable.ts';
import { anEvent } from './an-event.ts';

describe('the reasons of recorded Events', () => {
  it.each([
    'FailedScheduling',
    'Preempted',
    'TriggeredScaleUp',
    'NotTriggerScaleUp',
    'FailedMount',
    'FailedAttachVolume',
    'BackOff',
    'Failed',
    'Unhealthy',
    'Evicted',
    'NodeNotReady',
    'FailedCreatePodSandBox',
  ])('include %s', (reason) => {
    expect(readEvent(anEvent({ reason }))).toMatchObject({ reason });
  });

  it.each(['Scheduled', 'Pulled', 'Created', 'Started', 'Killing', 'toString', '', undefined])(
    'do not include %s',
    (reason) => {
      const { reason: _, ...without } = anEvent();
      expect(readEvent(reason === undefined ? without : anEvent({ reason }))).toBe('other');
    },
  );
});

describe('an Event of a component of Jobledger', () => {
  it.each(['job-controller', 'jobledger-placement'])('is not recorded: %s', (reportingController) => {
    expect(readEvent(anEvent({ reportingController }))).toBe('other');
    const { reportingController: _, ...core } = anEvent();
    expect(readEvent({ ...core, deprecatedSource: { component: reportingController } })).toBe('other');
  });
});

describe('an Event of the scheduler', () => {
  it('is read with its object, its program, its text and its times', () => {
    expect(readEvent(anEvent({ series: { count: 4, lastObservedTime: '2026-12-01T08:10:00.5Z' } }))).toEqual({
      namespace: 'default',
      regarding: { kind: 'Pod', uid: 'pod-1', name: 'pi-x7k2q' },
      reason: 'FailedScheduling',
      type: 'Warning',
      reportedBy: 'default-scheduler',
      note: '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.',
      count: 4,
      firstAt: '2026-12-01T08:00:00.123Z',
      lastAt: '2026-12-01T08:10:00.500Z',
      eventUid: 'event-1',
      resourceVersion: '500',
      regardingVersion: '480',
    });
  });

  it('names the pod for which another pod is preempted', () => {
    const related = { apiVersion: 'v1', kind: 'Pod', namespace: 'other', name: 'urgent-1', uid: 'pod-9' };
    expect(readEvent(anEvent({ reason: 'Preempted', related }))).toMatchObject({
      related: { kind: 'Pod', namespace: 'other', name: 'urgent-1', uid: 'pod-9' },
    });
  });
});

describe('an Event in the form of the first API', () => {
  it('has its program, count and times in the deprecated fields', () => {
    const { reportingController: _, ...rest } = anEvent({
      reason: 'BackOff',
      note: 'Back-off restarting failed container main in pod pi-x7k2q_default(5f2b)',
      eventTime: null,
      deprecatedSource: { component: 'kubelet' },
      deprecatedCount: 7,
      deprecatedFirstTimestamp: '2026-12-01T07:00:00Z',
      deprecatedLastTimestamp: '2026-12-01T07:30:00Z',
    });
    expect(readEvent(rest)).toMatchObject({
      reportedBy: 'kubelet',
      note: 'Back-off restarting failed container',
      count: 7,
      firstAt: '2026-12-01T07:00:00.000Z',
      lastAt: '2026-12-01T07:30:00.000Z',
    });
  });
});

describe('the times of an Event', () => {
  it('count only near the time at which the API server created the Event', () => {
    const of = (first: string, last: string): unknown =>
      readEvent(anEvent({ eventTime: first, series: { count: 2, lastObservedTime: last } }));
    const created = '2026-12-01T08:00:00.000Z';
    expect(of('9999-12-01T08:00:00Z', '9999-12-01T08:00:00Z')).toMatchObject({
      firstAt: created,
      lastAt: created,
    });
    expect(of('1970-01-01T00:00:00Z', '2026-12-02T08:00:00Z')).toMatchObject({
      firstAt: created,
      lastAt: '2026-12-02T08:00:00.000Z',
    });
  });
});

describe('the text of an Event', () => {
  it.each([
    ['Unhealthy', 'Readiness probe failed: curl --token=s3cret: password=hunter2', 'Readiness probe failed'],
    [
      'Failed',
      'Failed to pull image "r.example.com/a:1": GET https://r.example.com/v2?sig=s3cret: 401 Unauthorized',
      'Failed to pull image; 401 Unauthorized',
    ],
    [
      'FailedMount',
      'MountVolume.SetUp failed for volume "v" : secret "db" not found',
      'MountVolume.SetUp failed; secret "db" not found',
    ],
    ['FailedCreatePodSandBox', 'rpc error: s3cret', ''],
  ])(
    'is recorded in known phrases when a program may have written a part of it: %s',
    (reason, note, phrases) => {
      expect(readEvent(anEvent({ reason, note }))).toMatchObject({ note: phrases });
    },
  );

  it('is one line of at most 1024 characters', () => {
    const read = readEvent(anEvent({ note: `a\u001b[31m\n\u202e${'x'.repeat(5000)}\ud800` }));
    expect(read).toMatchObject({ note: expect.stringMatching(/^a\\u001b\[31m\\n\\u202ex+…$/) });
  });
});

describe('an Event that claims to be about an object', () => {
  it('is not read when the object is in another namespace, or has no usable UID or name', () => {
    const of = (change: object): unknown =>
      readEvent(anEvent({ regarding: { ...anEvent().regarding, ...change } }));
    expect(of({ namespace: 'other' })).toBe('unreadable');
    expect(of({ uid: 'a/b' })).toBe('unreadable');
    expect(of({ uid: undefined })).toBe('unreadable');
    expect(of({ name: '../x' })).toBe('unreadable');
  });

  it('is left out when the object is of another kind or of the same kind in another API', () => {
    const of = (apiVersion: string, kind: string): unknown =>
      readEvent(anEvent({ regarding: { ...anEvent().regarding, apiVersion, kind } }));
    expect(of('batch.volcano.sh/v1alpha1', 'Job')).toBe('other');
    expect(of('v1', 'Node')).toBe('other');
    expect(of('batch/v1', 'Job')).toMatchObject({ regarding: { kind: 'Job' } });
  });
});

describe('an Event with any content', () => {
  it('is read without an error, and its texts are single printable lines', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant(null),
      fc.integer(),
      fc.bigInt(),
      fc.object(),
    );
    const fields = fc.record(
      Object.fromEntries(
        [
          'note',
          'type',
          'reportingController',
          'eventTime',
          'series',
          'related',
          'deprecatedSource',
          'deprecatedFirstTimestamp',
          'deprecatedLastTimestamp',
          'deprecatedCount',
        ].map((field) => [field, any]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, fc.constantFrom(...RECORDED_REASONS), (hostile, reason) => {
        const read = readEvent(anEvent({ ...(hostile as Partial<EventObject>), reason }));
        if (typeof read === 'string') throw new Error(read);
        expect([read.note, read.reportedBy].every(isPrintable)).toBe(true);
        expect(read.count).toBeGreaterThanOrEqual(1);
        expect(read.lastAt >= read.firstAt).toBe(true);
      }),
    );
  });
});
