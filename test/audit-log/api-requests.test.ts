import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiRequestsIn, type AuditScope } from '../../services/audit-log/api-requests.ts';
import { DEFAULT_OWN_USERS } from '../../services/audit-log/users.ts';
import { decodeEvent, encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { ApiRequestAudited } from '../../workflows/job/events.ts';
import {
  aJobResponse,
  anAuditRecord,
  aPatch,
  aPodDeletion,
  aPodResponse,
  SECRET,
} from './an-audit-record.ts';

const TIME = '2026-11-30T08:00:01.000Z';
const SCOPE: AuditScope = {
  cluster: 'east',
  ownUsers: new Set(DEFAULT_OWN_USERS),
  namespaces: [],
  mayExist: () => true,
  recordedName: (name) => name,
};

function translated(record: unknown, scope: Partial<AuditScope> = {}): ApiRequestAudited[] {
  return apiRequestsIn({ ...SCOPE, ...scope }, record, TIME).events;
}

function resultFor(record: unknown): string {
  return apiRequestsIn(SCOPE, record, TIME).result;
}

describe('the creation of a Job in an audit log', () => {
  it('becomes an event in the stream of the Job, with the user and without any value of the body', () => {
    const [event, ...others] = translated(anAuditRecord());
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'api-request.audited',
      source: 'east',
      subject: 'default/pi',
      time: TIME,
      data: {
        cluster: 'east',
        jobUid: 'job-1',
        resource: 'jobs',
        uid: 'job-1',
        name: 'pi',
        verb: 'create',
        by: 'ann',
        userAgent: 'kubectl/v1.37.0',
        resourceVersion: '477',
        receivedAt: '2026-11-30T08:00:00.123Z',
        auditId: '3c5e3b0f-6d1a-4f0e-9d0c-0d5a3c1f5b11',
      },
    });
    expect(JSON.stringify(event)).not.toContain(SECRET);
  });

  it('becomes an event that is unchanged after it is written to the ledger and read back', () => {
    const [event] = translated(anAuditRecord());
    if (event === undefined) throw new Error('no event');
    expect(encodeEvent(event).key).toBe('east/job-1');
    expect(decodeEvent(encodeEvent(event).value)).toEqual(event);
  });

  it('becomes the same event when its record is repeated', () => {
    const [first] = translated(anAuditRecord());
    const [again] = apiRequestsIn(SCOPE, anAuditRecord(), '2026-11-30T09:00:00.000Z').events;
    expect(again).toMatchObject({ id: first?.id, digest: first?.digest });
  });
});

describe('a caller that sends the audit id of an earlier request', () => {
  it('cannot hide its own request behind the earlier request', () => {
    const [first] = translated(anAuditRecord());
    const [second] = translated(anAuditRecord({ requestReceivedTimestamp: '2026-11-30T08:00:00.123457Z' }));
    expect(second?.id).not.toBe(first?.id);
  });
});

describe('a patch in an audit log', () => {
  it.each([
    ['a merge patch', { spec: { suspend: true } }, ['spec.suspend']],
    ['a JSON patch', [{ op: 'replace', path: '/spec/parallelism', value: 3 }], ['spec.parallelism']],
    [
      'an applied object',
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi', labels: { secret: SECRET } }, spec: {} },
      ['metadata.labels', 'spec'],
    ],
    ['a patch of a key that is no name of the API', { spec: { [`${SECRET} x`]: 1 } }, undefined],
    ['a text', SECRET, undefined],
  ])('becomes an event with the fields of %s, without their values', (_what, patch, fields) => {
    const [event] = translated(aPatch(patch));
    expect(event?.data.fields).toEqual(fields);
    expect(JSON.stringify(event)).not.toContain(SECRET);
  });

  it('becomes an event with both users when a user impersonates another user', () => {
    const [event] = translated(aPatch({}, { impersonatedUser: { username: 'root' } }));
    expect(event?.data).toMatchObject({ by: 'root', impersonatedBy: 'bob' });
  });
});

describe('a deletion in an audit log', () => {
  it('belongs to the stream of the Job of the deleted pod, with the version that shows the deletion', () => {
    const [event] = translated(aPodDeletion());
    expect(event).toMatchObject({
      subject: 'default/pi',
      data: {
        jobUid: 'job-1',
        resource: 'pods',
        uid: 'pod-1',
        name: 'pi-0',
        by: 'carol',
        resourceVersion: '510',
      },
    });
  });

  it('becomes an event with the UID from the response when the Job disappears at once', () => {
    const details = { name: 'pi', group: 'batch', kind: 'jobs', uid: 'job-1' };
    const [event] = translated(
      anAuditRecord({
        verb: 'delete',
        responseStatus: { code: 200 },
        responseObject: { kind: 'Status', details },
      }),
    );
    expect(event?.data).toMatchObject({ verb: 'delete', uid: 'job-1', name: 'pi' });
    expect(event?.data).not.toHaveProperty('resourceVersion');
  });

  it('becomes an event for each object of a collection that was not already being deleted', () => {
    const items = [
      aJobResponse('1'),
      aJobResponse('2', { uid: 'job-2', name: 'e', deletionTimestamp: '2026-11-30T07:00:00Z' }),
      aJobResponse('3', { uid: 'job-3', name: 'f' }),
    ];
    const events = translated(
      anAuditRecord({
        verb: 'deletecollection',
        responseStatus: { code: 200 },
        responseObject: { kind: 'JobList', items },
      }),
    );
    expect(events.map(({ data: { jobUid, verb } }) => [jobUid, verb])).toEqual([
      ['job-1', 'deletecollection'],
      ['job-3', 'deletecollection'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    ['with an account of its own', 'system:serviceaccount:kube-system:generic-garbage-collector', ''],
    [
      'with the account of all controllers',
      'system:kube-controller-manager',
      'kube-controller-manager/v1.37 x/generic-garbage-collector',
    ],
  ])('counts as a cascade when its user is the garbage collector %s', (_how, username, userAgent) => {
    const [event] = translated(aPodDeletion({ user: { username }, userAgent }));
    expect(event?.data).toMatchObject({ by: username, cascade: true });
  });

  it('does not count as a cascade when the program of its user calls itself garbage collector', () => {
    const [event] = translated(aPodDeletion({ userAgent: 'x/generic-garbage-collector' }));
    expect(event?.data).not.toHaveProperty('cascade');
  });
});

describe('a request during which the API server failed', () => {
  it('is recorded with the failure if the response has the object', () => {
    const panic = { stage: 'Panic', responseStatus: { code: 500 } };
    expect(translated(aPatch({ spec: { suspend: true } }, panic))[0]?.data).toMatchObject({ panicked: true });
    expect(resultFor(aPatch({}, { ...panic, responseObject: undefined }))).toBe('unknown');
  });
});

describe('a request whose caller asks for a table', () => {
  const aTable = (...objects: unknown[]): unknown => ({
    kind: 'Table',
    metadata: { resourceVersion: '501' },
    rows: objects.map((object) => ({ cells: ['pi'], object })),
  });

  it('is recorded like any other request', () => {
    const [event] = translated(aPatch({}, { responseObject: aTable(aJobResponse('501')) }));
    expect(event?.data).toMatchObject({ uid: 'job-1', verb: 'patch', resourceVersion: '501' });
    const responseObject = aTable(aJobResponse('1'), aJobResponse('2', { uid: 'job-2' }));
    expect(translated(aPatch({}, { verb: 'deletecollection', responseObject }))).toHaveLength(2);
  });

  it('is not recorded for the object whose UID the caller wrote into the body', () => {
    const objectRef = { resource: 'jobs', apiGroup: 'batch', namespace: 'evil', name: 'x', uid: 'job-1' };
    const requestObject = { kind: 'Job', metadata: { name: 'x', uid: 'job-1' } };
    expect(resultFor(anAuditRecord({ objectRef, requestObject, responseObject: aTable() }))).toBe('unknown');
  });
});

describe('the reader of an audit log', () => {
  const uri = '/apis/batch/v1/namespaces/default/jobs/pi';
  const isRecorded = (verb: string, query: string, requestObject: unknown): boolean =>
    resultFor(aPatch(requestObject, { verb, requestURI: uri + query })) === 'recorded';

  it.each([
    ['patch', '?x=a?&dry%52un=All', {}],
    ['delete', '?dryRun=All', undefined],
    ['deletecollection', '', { kind: 'DeleteOptions', dryRun: ['All'] }],
  ])('omits a dry run: %s %s', (verb, query, body) => {
    expect(isRecorded(verb, query, body)).toBe(false);
  });

  it.each([
    ['delete', 'the API server reads only the options in the body', '?dryRun=All', { kind: 'DeleteOptions' }],
    ['delete', 'the list dryRun is empty', '', { kind: 'DeleteOptions', dryRun: [] }],
    ['patch', 'API servers omit a pair with a semicolon', '?dryRun=All;', {}],
    ['patch', 'API servers omit a pair with a broken escape', '?dryRun=%zz', {}],
    ['patch', 'API servers omit a query with too many pairs', `?dryRun=All${'&a'.repeat(10_000)}`, {}],
    ['patch', 'dryRun is no field of an object', '', { dryRun: ['All'] }],
  ])('recognises no dry run in a %s, because %s', (verb, _why, query, body) => {
    expect(isRecorded(verb, query, body)).toBe(true);
  });
});

describe('the filter of the audit log reader', () => {
  const worker = { username: 'system:serviceaccount:jobledger:jobledger-worker' };
  it.each([
    ['a request that only began', { stage: 'RequestReceived' }],
    ['a refused request', { responseStatus: { code: 403 } }],
    ['a query', { verb: 'get', responseStatus: { code: 200 } }],
    ['a dry run', { requestURI: '/apis/batch/v1/namespaces/default/jobs?dryRun=All' }],
    ['a status', { objectRef: { resource: 'jobs', apiGroup: 'batch', subresource: 'status' } }],
    ['another resource', { objectRef: { resource: 'deployments', apiGroup: 'apps' } }],
    ['a resource of another group', { objectRef: { resource: 'jobs', apiGroup: 'batch.volcano.sh' } }],
    ['a request of a service of Jobledger', { user: worker }],
    ['a node', { user: { username: 'system:node:n1' }, verb: 'delete' }],
    [
      'a write of the Job controller',
      { user: { username: 'system:serviceaccount:kube-system:job-controller' }, verb: 'patch' },
    ],
  ])('omits a request of this kind: %s', (_what, members) => {
    expect(apiRequestsIn(SCOPE, anAuditRecord(members), TIME)).toEqual({ result: 'ignored', events: [] });
  });

  it('never omits the request of a person whose name resembles the name of a service', () => {
    const [event] = translated(anAuditRecord({ impersonatedUser: worker }));
    expect(event?.data).toMatchObject({ by: worker.username, impersonatedBy: 'ann' });
  });

  it('never omits the request of an account of kube-system that is no controller of Kubernetes', () => {
    const username = 'system:serviceaccount:kube-system:tiller';
    expect(translated(aPatch({}, { user: { username } }))[0]?.data.by).toBe(username);
  });

  it('omits requests for a pod without a Job, a pod of another known Job, or a namespace that is not watched', () => {
    const free = aPodResponse('510', { ownerReferences: [] });
    expect(translated(aPodDeletion({ responseObject: free }))).toEqual([]);
    expect(translated(aPodDeletion(), { mayExist: () => false })).toEqual([]);
    expect(translated(aPodDeletion(), { namespaces: ['other'] })).toEqual([]);
  });
});

describe('an unusable record of an audit log', () => {
  it.each([
    ['without the object', anAuditRecord({ responseObject: undefined }), 'unknown'],
    [
      'whose object has no UID',
      anAuditRecord({ responseObject: aJobResponse('1', { uid: '../../x' }) }),
      'unknown',
    ],
    [
      'whose owners are no references',
      aPodDeletion({ responseObject: aPodResponse('1', { ownerReferences: [null] }) }),
      'unknown',
    ],
    [
      'whose name no API server accepts',
      anAuditRecord({ responseObject: aJobResponse('1', { name: 'pi\u001b[2J' }) }),
      'unknown',
    ],
    ['without a user', anAuditRecord({ user: undefined }), 'unreadable'],
    ['without an instant', anAuditRecord({ requestReceivedTimestamp: 'now' }), 'unreadable'],
    ['that is null', null, 'unreadable'],
  ])('becomes no event: it is a record %s', (_what, record, result) => {
    expect(resultFor(record)).toBe(result);
  });

  it('never makes the reader throw, whatever it contains', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('responseObject', 'requestObject', 'user', 'objectRef'),
        (value, name) => {
          for (const record of [value, aPatch({}, { [name]: value }), aPodDeletion({ [name]: value })])
            for (const event of translated(record))
              expect(decodeEvent(encodeEvent(event).value)).toEqual(event);
        },
      ),
    );
  });
});

describe('texts of callers in an audit log', () => {
  it('are cut to 256 characters', () => {
    const long = 'x'.repeat(10_000);
    const [event] = translated(anAuditRecord({ user: { username: long }, userAgent: long, auditID: long }));
    const { by, userAgent, auditId } = event?.data ?? {};
    expect([by, userAgent, auditId].map((text) => text?.length)).toEqual([256, 256, 256]);
  });
});

describe('audit texts with control characters, or with half a surrogate pair,', () => {
  it('are escaped, so that they forge no line and the tables accept them', () => {
    const [event] = translated(
      anAuditRecord({
        user: { username: 'eve\u0000\n12:00 deleted by ann' },
        userAgent: 'kubectl\u001b[2J\u202e\ud800',
      }),
    );
    expect(event?.data.by).toBe(String.raw`eve\u0000\n12:00 deleted by ann`);
    expect(event?.data.userAgent).toBe(String.raw`kubectl\u001b[2J\u202e` + '\ufffd');
  });

  it('never name the Job of a deleted pod: a deletion with such an owner reference is not recorded', () => {
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'pi\n', uid: 'job-1', controller: true };
    expect(
      translated(aPodDeletion({ responseObject: aPodResponse('1', { ownerReferences: [owner] }) })),
    ).toEqual([]);
  });
});

describe('pseudonyms in recorded audit events', () => {
  it('replace both names of a request', () => {
    const [event] = translated(aPatch({}, { impersonatedUser: { username: 'root' } }), {
      recordedName: (name) => `<${name.length}>`,
    });
    expect(event?.data).toMatchObject({ by: '<4>', impersonatedBy: '<3>' });
  });
});
