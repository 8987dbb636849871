import {
  answerMeaning,
  objectIn,
  type Meaning,
  type StatusDetails,
} from '../../services/adapters/kubernetes/answers.ts';

const POD = '/api/v1/namespaces/maths/pods/pi-x';
const JOB = '/apis/batch/v1/namespaces/maths/jobs/pi';
const OF_POD: StatusDetails = { kind: 'pods', name: 'pi-x' };
const WEBHOOK = 'admission webhook "w.example.com" denied the request: no';
const POLICY = `pods "pi-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`;

interface Answer {
  path?: string;
  status: number;
  reason?: string;
  message?: string;
  causes?: string[];
  details?: StatusDetails;
}

/** Each row of the table in docs/answers.md. */
const CELLS: [what: string, answer: Answer, meaning: Meaning][] = [
  ['404 that names the pod', { status: 404, reason: 'NotFound', details: OF_POD }, 'absent'],
  [
    '404 that names the Job, of its status',
    {
      path: `${JOB}/status`,
      status: 404,
      reason: 'NotFound',
      details: { group: 'batch', kind: 'jobs', name: 'pi' },
    },
    'absent',
  ],
  [
    '404 that names another pod',
    { status: 404, reason: 'NotFound', details: { kind: 'pods', name: 'other' } },
    'outage',
  ],
  [
    '404 that names a resource of another group',
    { status: 404, reason: 'NotFound', details: { group: 'acme.io', kind: 'pods', name: 'pi-x' } },
    'outage',
  ],
  [
    '404 that names the namespace',
    { status: 404, reason: 'NotFound', details: { kind: 'namespaces', name: 'maths' } },
    'refused',
  ],
  [
    '404 of the namespace itself',
    {
      path: '/api/v1/namespaces/maths',
      status: 404,
      reason: 'NotFound',
      details: { kind: 'namespaces', name: 'maths' },
    },
    'absent',
  ],
  [
    '404 without an object: the resource is not served',
    { status: 404, reason: 'NotFound', details: {} },
    'outage',
  ],
  ['404 of a list', { path: '/api/v1/pods', status: 404, reason: 'NotFound', details: OF_POD }, 'outage'],
  [
    '404 of a webhook that names the pod',
    { status: 404, reason: 'NotFound', message: WEBHOOK, details: OF_POD },
    'refused',
  ],
  ['409 AlreadyExists', { status: 409, reason: 'AlreadyExists', details: OF_POD }, 'conflict'],
  ['409 Conflict', { status: 409, reason: 'Conflict', details: OF_POD }, 'conflict'],
  [
    '409 of a contended quota',
    { status: 409, reason: 'Conflict', details: { kind: 'resourcequotas', name: 'q' } },
    'conflict',
  ],
  ['409 of a webhook', { status: 409, message: WEBHOOK }, 'refused'],
  ['422 Invalid', { status: 422, reason: 'Invalid', details: OF_POD }, 'refused'],
  ['422 of a policy', { status: 422, reason: 'Invalid', message: POLICY }, 'refused'],
  ['400 BadRequest', { status: 400, reason: 'BadRequest' }, 'refused'],
  ['401 Unauthorized', { status: 401, reason: 'Unauthorized' }, 'refused'],
  ['403 Forbidden, such as of a quota', { status: 403, reason: 'Forbidden' }, 'refused'],
  ['405 MethodNotAllowed', { status: 405, reason: 'MethodNotAllowed' }, 'refused'],
  ['408 Timeout', { status: 408, reason: 'Timeout' }, 'outage'],
  ['410 Expired', { status: 410, reason: 'Expired' }, 'outage'],
  ['413 RequestEntityTooLarge', { status: 413, reason: 'RequestEntityTooLarge' }, 'refused'],
  ['429 of the server', { status: 429, reason: 'TooManyRequests' }, 'throttled'],
  ['429 of a webhook', { status: 429, reason: 'TooManyRequests', message: WEBHOOK }, 'refused'],
  [
    '500 InternalError, such as of a webhook that does not answer',
    { status: 500, reason: 'InternalError' },
    'refused',
  ],
  ['503 ServiceUnavailable', { status: 503, reason: 'ServiceUnavailable' }, 'outage'],
  ['503 of a webhook', { status: 503, message: WEBHOOK }, 'refused'],
  ['504 Timeout', { status: 504, reason: 'Timeout' }, 'outage'],
  [
    'any code in a namespace that is being terminated',
    { status: 503, causes: ['NamespaceTerminating'] },
    'refused',
  ],
];

describe('a response of an API server', () => {
  it.each(CELLS)(
    'has the meaning that docs/answers.md gives it: %s',
    (_what, { path = POD, reason = '', message = '', causes = [], ...rest }, meaning) => {
      expect(answerMeaning({ reason, message, causes, ...rest }, objectIn(path))).toBe(meaning);
    },
  );
});

describe('the reader of request paths', () => {
  it.each([
    [POD, { group: '', resource: 'pods', name: 'pi-x' }],
    [`${JOB}/status?fieldManager=x`, { group: 'batch', resource: 'jobs', name: 'pi' }],
    ['/api/v1/namespaces/maths', { group: '', resource: 'namespaces', name: 'maths' }],
    ['/api/v1/nodes/node%2D1/status', { group: '', resource: 'nodes', name: 'node-1' }],
    ['/api/v1/namespaces/maths/pods', null],
    ['/apis/batch/v1/jobs?watch=1', null],
    ['/apis', null],
    ['/version', null],
  ])('returns the object that the request path %s names, or null', (path, object) => {
    expect(objectIn(path)).toEqual(object);
  });
});
