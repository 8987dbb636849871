import { describe, expect, it } from '@jest/globals';
import { NotRetriableError, retriedManifest } from '../../services/api/submission/retried.ts';
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

describe('the manifest of a Job that is retried', () => {
  it('has what its author wrote, and nothing that the API server or a controller added', () => {
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

  it('has a generated name when none is given', () => {
    const { metadata } = retriedManifest(EARLIER, undefined);
    expect(metadata).toMatchObject({ generateName: 'pi-' });
    expect(metadata).not.toHaveProperty('name');
  });

  it('is refused for a Job with a selector of its own', () => {
    const own = { ...EARLIER, spec: { ...EARLIER.spec, manualSelector: true } };
    expect(() => retriedManifest(own, undefined)).toThrow(NotRetriableError);
  });
});
