/** The request of ann that creates the Job `default/pi`, as the API server's audit log has it, with other members. */
export function anAuditRecord(members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: '3c5e3b0f-6d1a-4f0e-9d0c-0d5a3c1f5b11',
    stage: 'ResponseComplete',
    requestURI: '/apis/batch/v1/namespaces/default/jobs?fieldManager=kubectl-create',
    verb: 'create',
    user: { username: 'ann', groups: ['system:authenticated'] },
    sourceIPs: ['10.0.0.7'],
    userAgent: 'kubectl/v1.37.0',
    objectRef: { resource: 'jobs', namespace: 'default', name: 'pi', apiGroup: 'batch', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: 'Job', metadata: { name: 'pi' }, spec: SECRET_SPEC },
    responseObject: aJobResponse('477'),
    requestReceivedTimestamp: '2026-11-30T08:00:00.123456Z',
    stageTimestamp: '2026-11-30T08:00:00.130000Z',
    ...members,
  };
}

/** A value that no event may have. */
export const SECRET = 'hunter2';

const SECRET_SPEC = {
  template: { spec: { containers: [{ name: 'main', env: [{ name: 'PASSWORD', value: SECRET }] }] } },
};

export function aJobResponse(resourceVersion: string, metadata: Record<string, unknown> = {}): unknown {
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: {
      name: 'pi',
      namespace: 'default',
      uid: 'job-1',
      resourceVersion,
      annotations: { note: SECRET },
      ...metadata,
    },
    spec: SECRET_SPEC,
  };
}

export function aPodResponse(resourceVersion: string, metadata: Record<string, unknown> = {}): unknown {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'pi', uid: 'job-1', controller: true };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'pi-0',
      namespace: 'default',
      uid: 'pod-1',
      resourceVersion,
      ownerReferences: [owner],
      ...metadata,
    },
  };
}

/** A patch of the Job by bob. */
export function aPatch(
  requestObject: unknown,
  members: Record<string, unknown> = {},
): Record<string, unknown> {
  return anAuditRecord({
    auditID: 'patch-1',
    verb: 'patch',
    user: { username: 'bob' },
    requestURI: '/apis/batch/v1/namespaces/default/jobs/pi',
    requestObject,
    responseObject: aJobResponse('501'),
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-11-30T08:01:00.000000Z',
    ...members,
  });
}

const POD = { resource: 'pods', namespace: 'default', name: 'pi-0', apiVersion: 'v1' };

/** The deletion of the pod by carol. */
export function aPodDeletion(members: Record<string, unknown> = {}): Record<string, unknown> {
  return anAuditRecord({
    auditID: 'delete-1',
    verb: 'delete',
    user: { username: 'carol' },
    requestURI: '/api/v1/namespaces/default/pods/pi-0',
    objectRef: POD,
    requestObject: { kind: 'DeleteOptions', apiVersion: 'v1' },
    responseObject: aPodResponse('510', { deletionTimestamp: '2026-11-30T08:02:30Z' }),
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-11-30T08:02:00.000000Z',
    ...members,
  });
}
