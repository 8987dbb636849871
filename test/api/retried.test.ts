import { describe, expect, it } from '@jest/globals';
import {
  NotRetriableError,
  retriedManifest,
  withUnfinishedIndexes,
} from '../../services/api/submission/retried.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';

const GENERATED = {
  'batch.kubernetes.io/controller-uid': 'u1',
  'batch.kubernetes.io/job-name': 'pi',
  'controller-uid': 'u1',
  'job-name': 'pi',
};

/** As an API server returns it. */
const EARLIER: Job = {
  metadata: {
    name: 'pi',
    namespace: 'maths',
    uid: 'u1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-11-21T03:12:00Z',
    labels: { team: 'maths', ...GENERATED },
    annotations: {
      note: 'kept',
      'jobledger.dev/submitted-by': 'ann',
      'jobledger.dev/submission': 's0',
      'jobledger.dev/retry-of': 'u0',
      'jobledger.dev/failed-pods-limit': '1',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-11-21T03:12:00Z',
    },
    finalizers: ['orphan'],
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'c1', controller: true }],
  },
  spec: {
    parallelism: 2,
    completions: 5,
    completionMode: 'Indexed',
    suspend: true,
    managedBy: 'jobledger.dev/job-controller',
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } },
    template: {
      metadata: { labels: { app: 'pi', ...GENERATED }, annotations: { a: 'b' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'pi', command: ['pi', '5'] }] },
    },
  },
  status: { succeeded: 1 },
} as unknown as Job;

describe('the manifest for the retry of a Job', () => {
  it('has the fields that the author of the Job wrote, and no field that the API server or a controller added', () => {
    expect(retriedManifest(EARLIER, 'again')).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'again',
        namespace: 'maths',
        labels: { team: 'maths' },
        annotations: { note: 'kept', 'jobledger.dev/failed-pods-limit': '1', 'jobledger.dev/retry-of': 'u1' },
      },
      spec: {
        parallelism: 2,
        completions: 5,
        completionMode: 'Indexed',
        managedBy: 'jobledger.dev/job-controller',
        template: {
          metadata: { labels: { app: 'pi' }, annotations: { a: 'b' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'pi', command: ['pi', '5'] }] },
        },
      },
    });
  });

  it('has a generated name when the request gives no name', () => {
    const { metadata } = retriedManifest(EARLIER, undefined);
    expect(metadata).toMatchObject({ generateName: 'pi-' });
    expect(metadata).not.toHaveProperty('name');
  });

  it('cannot be made for a Job that has its own selector', () => {
    const own = { ...EARLIER, spec: { ...EARLIER.spec, manualSelector: true } };
    expect(() => retriedManifest(own, undefined)).toThrow(NotRetriableError);
  });
});

describe('the retry of only the failed indexes', () => {
  const retriedIndexes = (
    fields: { spec?: object; status?: object; claim?: 'all' | 'managed'; granted?: string } = {},
  ): unknown => {
    const { granted } = fields;
    const job = {
      ...EARLIER,
      ...(granted !== undefined && {
        metadata: {
          ...EARLIER.metadata,
          annotations: { 'jobledger.dev/indexes': granted, 'jobledger.dev/retry-of': 'u0' },
        },
      }),
      spec: { ...EARLIER.spec, ...fields.spec },
      status: { completedIndexes: '0,2-3', failedIndexes: '1', ...fields.status },
    } as Job;
    const manifest = withUnfinishedIndexes(retriedManifest(job, 'again'), job, fields.claim ?? 'managed');
    return manifest.metadata.annotations?.['jobledger.dev/indexes'];
  };

  it('has the size of the original Job, and a grant of the indexes that have not succeeded', () => {
    expect(retriedIndexes()).toBe('1:1,4');
    expect(retriedIndexes({ status: { completedIndexes: undefined } })).toBe('1:0-4');
    const one = { ...EARLIER, status: { completedIndexes: '0-3' } } as Job;
    expect(withUnfinishedIndexes(retriedManifest(one, 'again'), one, 'managed').spec).toMatchObject({
      completions: 5,
      parallelism: 1,
    });
    expect(retriedIndexes({ spec: { managedBy: undefined }, claim: 'all' })).toBe('1:1,4');
  });

  it('contains only those failed indexes that belong to the retried Job', () => {
    expect(retriedIndexes({ granted: '1:1,4', status: { completedIndexes: '1' } })).toBe('1:4');
    expect(() => retriedIndexes({ granted: '1:1,4', status: { completedIndexes: '1,4' } })).toThrow(
      'each index of the Job has succeeded',
    );
  });

  it.each([
    ['the Job is not Indexed', { spec: { completionMode: 'NonIndexed' } }],
    ['each index of the Job has succeeded', { status: { completedIndexes: '0-4' } }],
    ['another controller controls the Job', { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }],
    ['another controller controls the Job', { spec: { managedBy: undefined } }],
    ['another controller controls the Job', { spec: { managedBy: 'jobledger.dev/placement' } }],
    ['its pods are scheduled together', { spec: { scheduling: {} } }],
    ['its success policy counts all', { spec: { successPolicy: { rules: [{ succeededCount: 2 }] } } }],
  ])('is refused when %s', (reason, fields) => {
    expect(() => retriedIndexes(fields)).toThrow(reason);
  });
});
