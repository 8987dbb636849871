import { describe, expect, it } from '@jest/globals';
import type { PlacementCommandOf } from '../../workflows/placement/commands.ts';
import { grantNumberIn, memberName } from '../../workflows/placement/definitions/member-name.ts';
import { homeNamedBy, memberJob } from '../../workflows/placement/member-job.ts';
import { jobObject } from '../support/builders.ts';

const UID = 'home-uid';
const MARK = 'east/home-uid/decision/1';

function command(
  fields: Partial<PlacementCommandOf<'CreateMember'>> = {},
): PlacementCommandOf<'CreateMember'> {
  return {
    kind: 'CreateMember',
    cluster: 'west',
    grant: 1,
    name: 'pi',
    spec: { parallelism: 3 },
    why: { rule: 'J-16.5', message: 'west is the best' },
    ...fields,
  };
}

function placed() {
  const job = jobObject({
    uid: UID,
    managedBy: 'jobledger.dev/placement',
    ttlSecondsAfterFinished: 60,
    annotations: {
      team: 'a',
      'jobledger.dev/clusters': 'west',
      'jobledger.dev/after': 'extract',
      'jobledger.dev/submission': 's1',
      'jobledger.dev/continued-failures': '{"consecutive":[1]}',
      'jobledger.dev/backoff-seconds': '1',
    },
  });
  return { ...job, metadata: { ...job.metadata, labels: { app: 'pi', 'job-name': 'pi' } } };
}

describe('the member of a placed Job (J-16.6)', () => {
  it('has the spec of the placed Job and the annotations of its grant, without fields that concern only the placed Job', () => {
    const { metadata, spec } = memberJob('east', placed(), command(), MARK);
    expect(metadata).toEqual({
      name: 'pi',
      namespace: 'default',
      labels: { app: 'pi' },
      annotations: {
        team: 'a',
        'jobledger.dev/backoff-seconds': '1',
        'jobledger.dev/placed-for': `east/default/pi/${UID}`,
        'jobledger.dev/grant': MARK,
      },
    });
    expect(spec).toMatchObject({ managedBy: 'jobledger.dev/job-controller', parallelism: 3 });
    expect(spec).not.toHaveProperty('ttlSecondsAfterFinished');
    expect(spec).not.toHaveProperty('selector');
  });

  it('has no label or annotation by which deployment tools such as Helm or Argo CD recognise their objects (BR-60)', () => {
    const job = placed();
    Object.assign(job.metadata.labels, {
      'app.kubernetes.io/name': 'pi',
      'app.kubernetes.io/instance': 'argo-app',
      'app.kubernetes.io/managed-by': 'Helm',
      'argocd.argoproj.io/instance': 'argo-app',
      'kustomize.toolkit.fluxcd.io/name': 'flux',
      'helm.toolkit.fluxcd.io/name': 'flux',
    });
    Object.assign(job.metadata.annotations ?? {}, {
      'argocd.argoproj.io/tracking-id': 'app:batch/Job:default/pi',
      'meta.helm.sh/release-name': 'release',
      'config.k8s.io/owning-inventory': 'inventory',
    });
    const { metadata } = memberJob('east', job, command(), MARK);
    expect(metadata.labels).toEqual({ app: 'pi', 'app.kubernetes.io/name': 'pi' });
    expect(Object.keys(metadata.annotations)).toEqual([
      'team',
      'jobledger.dev/backoff-seconds',
      'jobledger.dev/placed-for',
      'jobledger.dev/grant',
    ]);
  });

  it('has the placed Job as its owner when it is in the home cluster and has no guard', () => {
    const { metadata } = memberJob('east', placed(), command({ cluster: 'east', name: 'pi-m1' }), MARK);
    expect(metadata.ownerReferences).toEqual([{ apiVersion: 'batch/v1', kind: 'Job', name: 'pi', uid: UID }]);
  });

  it('has its guard as its only owner, also in the home cluster, because a second owner would prevent its deletion (J-16.16)', () => {
    const guard = { name: 'pi-m1-guard', uid: 'guard-uid' };
    const { metadata } = memberJob(
      'east',
      placed(),
      command({ cluster: 'east', name: 'pi-m1', guard }),
      MARK,
    );
    expect(metadata.ownerReferences).toEqual([{ apiVersion: 'batch/v1', kind: 'Job', ...guard }]);
    expect(metadata.annotations['jobledger.dev/guarded']).toBe('guard-uid');
  });

  it('has an annotation with the failures of the earlier member (J-16.23)', () => {
    const failures = { consecutive: [5000] };
    const { metadata } = memberJob('east', placed(), command({ continues: { failed: 1, failures } }), MARK);
    expect(metadata.annotations['jobledger.dev/continued-failures']).toBe('{"consecutive":[5000]}');
  });

  it('names the placed Job in an annotation, and an invalid annotation names none', () => {
    const { metadata } = memberJob('east', placed(), command(), MARK);
    expect(homeNamedBy(metadata)).toEqual({ cluster: 'east', namespace: 'default', name: 'pi', uid: UID });
    for (const text of ['', 'east/default/pi', 'east//pi/uid', 'east/default/pi/uid/more'])
      expect(homeNamedBy({ annotations: { 'jobledger.dev/placed-for': text } })).toBeNull();
  });

  it('has the name of the placed Job for the first grant in another cluster, and otherwise a name with the grant number', () => {
    const job = { name: 'pi', cluster: 'east' };
    expect(memberName(job, { cluster: 'west', number: 1 })).toBe('pi');
    expect(memberName(job, { cluster: 'east', number: 1 })).toBe('pi-m1');
    expect(memberName(job, { cluster: 'west', number: 12 })).toBe('pi-m12');
    expect(memberName({ ...job, name: 'a'.repeat(61) }, { cluster: 'west', number: 2 })).toBeNull();
    expect(['pi', 'pi-m12', 'pi-m', 'pi-m1x', 'pi2'].map((name) => grantNumberIn('pi', name))).toEqual([
      1,
      12,
      null,
      null,
      null,
    ]);
  });
});
