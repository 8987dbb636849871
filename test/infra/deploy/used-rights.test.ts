import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '../../support/audit-event.ts';
import { grantedRights, unusedRights, usedRights } from '../../support/used-rights.ts';

const MANIFESTS = readFileSync('infra/deploy/kubernetes/rbac.yaml', 'utf8');

function aRequest(service: string, verb: string, objectRef: AuditEvent['objectRef']): AuditEvent {
  return {
    verb,
    requestURI: '/',
    user: { username: `system:serviceaccount:jobledger:jobledger-${service}` },
    ...(objectRef !== undefined && { objectRef }),
    responseStatus: { code: verb === 'create' ? 201 : 200 },
    requestReceivedTimestamp: '',
    stageTimestamp: '',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  };
}

describe('the report of used rights of the services', () => {
  it('contains the rights in the manifests, and lists the rights in a namespace separately', () => {
    const granted = grantedRights(MANIFESTS);
    expect(granted).toEqual(
      expect.arrayContaining([
        'ingester: watch jobs.batch',
        'ingester: update leases.coordination.k8s.io in jobledger',
        'worker: create pods',
        'api: create jobs.batch',
      ]),
    );
    expect(granted.filter((right) => /^(dispatcher|projector)/.test(right))).toEqual([]);
  });

  it('counts a right as used by requests of the account that has it', () => {
    const jobs = { apiGroup: 'batch', resource: 'jobs', namespace: 'default' };
    expect([...usedRights([aRequest('worker', 'patch', { ...jobs, subresource: 'status' })])]).toEqual([
      'worker: patch jobs/status.batch',
      'worker: patch jobs/status.batch in default',
    ]);
    const forbidden = { ...aRequest('api', 'create', jobs), annotations: {} };
    expect([...usedRights([forbidden])]).toEqual([]);
  });

  it('counts the right to update the finalizers of an owner as used when the account that has it creates objects with that owner', () => {
    const pods = { resource: 'pods', namespace: 'default' };
    expect([...usedRights([aRequest('worker', 'create', pods)])]).toEqual([
      'worker: create pods',
      'worker: update jobs/finalizers.batch',
      'worker: create pods in default',
      'worker: update jobs/finalizers.batch in default',
    ]);
  });

  it('names the rights that no request has used', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'jobledger-rights-')), 'used');
    const ofOtherVersions = 'worker: list podgroups.scheduling.k8s.io';
    const needed = grantedRights(MANIFESTS).filter((right) => right !== ofOtherVersions);
    expect(unusedRights(MANIFESTS, file)).toEqual(needed);
    const [first, ...others] = grantedRights(MANIFESTS);
    writeFileSync(file, others.join('\n'));
    expect(unusedRights(MANIFESTS, file)).toEqual([first]);
  });
});
