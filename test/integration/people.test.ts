import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { apiClient, type ApiAnswer, type ApiClient } from '../support/api-client.ts';
import { openEventStream } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.ts';

jest.setTimeout(120_000);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

/** These lines give people rights in Jobledger; `beforeAll` gives them rights in the cluster. */
const LINES = `
user:system:serviceaccount:ci:runner read,submit,operate in=*/ci
user:system:serviceaccount:ci:guest read,submit,operate in=*/ci
group:oidc:team read
group:oidc:team submit,operate in=local/ci
`;

let installation: Installation;
let provider: TokenEndpoint;
let owner: ApiClient;

beforeAll(async () => {
  provider = await startTokenEndpoint({ id: 'a', secret: 'b' });
  installation = await install({
    api: true,
    environment: {
      JOBLEDGER_API_OIDC_ISSUER: provider.issuer,
      JOBLEDGER_API_OIDC_AUDIENCE: 'jobledger',
      JOBLEDGER_API_KUBERNETES_TOKENS: 'local',
    },
  });
  await installation.startServices();
  await installation.cluster.inNewNamespace('ci');
  await make('/api/v1/namespaces/ci/serviceaccounts', {
    kind: 'ServiceAccount',
    metadata: { name: 'runner' },
  });
  await make('/api/v1/namespaces/ci/serviceaccounts', {
    kind: 'ServiceAccount',
    metadata: { name: 'guest' },
  });
  await make(`${RBAC}/namespaces/ci/roles`, {
    kind: 'Role',
    metadata: { name: 'jobs' },
    rules: [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'patch'] }],
  });
  const runner = { kind: 'ServiceAccount', name: 'runner', namespace: 'ci' };
  await mayUseJobs(runner);
  const alice = { kind: 'User', name: 'oidc:alice', apiGroup: GROUP };
  await mayUseJobs(alice);
  appendFileSync(join(installation.stateDir, 'api', 'tokens'), LINES);
  owner = apiClient(installation.api.url, installation.api.token);
  await eventually('the lines are known', 30, async () => {
    const { status } = await apiClient(installation.api.url, idToken()).get('/v1/jobs');
    return status === 200 ? true : undefined;
  });
}, 240_000);

afterAll(async () => {
  provider?.close();
  await installation?.stop();
}, 30_000);

async function make(path: string, object: object): Promise<void> {
  await installation.cluster.client.request({ method: 'POST', path, body: object });
}

function mayUseJobs(subject: { name: string }): Promise<void> {
  return make(`${RBAC}/namespaces/ci/rolebindings`, {
    kind: 'RoleBinding',
    metadata: { name: `of-${subject.name.replace(':', '-')}` },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'jobs' },
    subjects: [subject],
  });
}

async function accountToken(account: string): Promise<string> {
  const answer = await installation.cluster.client.request<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/ci/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return answer.status.token;
}

function idToken(claims: object = {}): string {
  return provider.signed({ sub: 'alice', groups: ['team'], aud: 'jobledger', ...claims });
}

function submit(client: ApiClient, name: string, namespace = 'ci'): Promise<ApiAnswer> {
  return client.post('/v1/clusters/local/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: {
      suspend: true,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: ['true'] }] },
      },
    },
  });
}

async function seen(name: string): Promise<void> {
  await eventually(`${name} is in SQL`, 30, async () =>
    (await owner.get(`/v1/jobs/${name}?namespace=ci`)).status === 200 ? true : undefined,
  );
}

describe('a ServiceAccount that signs in with its token', () => {
  it('can submit and resume Jobs under its own name where it has rights, and nowhere else', async () => {
    const runner = apiClient(installation.api.url, await accountToken('runner'));
    expect(await submit(runner, 'of-runner')).toMatchObject({ status: 201 });
    const [cluster] = [installation.clusters['local']];
    const name = 'system:serviceaccount:ci:runner';
    const job = await cluster?.client.request<{ metadata: { annotations: object } }>({
      method: 'GET',
      path: '/apis/batch/v1/namespaces/ci/jobs/of-runner',
    });
    expect(job?.metadata.annotations).toMatchObject({ 'jobledger.dev/submitted-by': name });
    await seen('of-runner');
    expect(await runner.post('/v1/jobs/of-runner/resume')).toMatchObject({ status: 202, body: { by: name } });
    expect(await submit(runner, 'elsewhere', 'default')).toMatchObject({
      status: 403,
      body: { detail: `"${name}" has no rights in local/default` },
    });
  });

  it('cannot make Jobledger carry out requests that the cluster does not permit it', async () => {
    const guest = apiClient(installation.api.url, await accountToken('guest'));
    const name = 'system:serviceaccount:ci:guest';
    expect(await submit(guest, 'of-guest')).toMatchObject({
      status: 403,
      body: { detail: `the cluster "local" does not let "${name}" create Jobs in the namespace "ci"` },
    });
    await submit(owner, 'of-owner');
    await seen('of-owner');
    expect((await guest.get('/v1/jobs/of-owner')).status).toBe(200);
    expect(await guest.post('/v1/jobs/of-owner/retry')).toMatchObject({
      status: 403,
      body: { detail: `the cluster "local" does not let "${name}" get Jobs in the namespace "ci"` },
    });
    expect(await guest.post('/v1/jobs/of-owner/resume')).toMatchObject({
      status: 403,
      body: { detail: `the cluster "local" does not let "${name}" patch Jobs in the namespace "ci"` },
    });
  });

  it('is refused with 401 after the ServiceAccount was deleted, and its stream of events ends', async () => {
    await make('/api/v1/namespaces/ci/serviceaccounts', {
      kind: 'ServiceAccount',
      metadata: { name: 'brief' },
    });
    appendFileSync(
      join(installation.stateDir, 'api', 'tokens'),
      'user:system:serviceaccount:ci:brief read in=*/ci\n',
    );
    const token = await accountToken('brief');
    const brief = apiClient(installation.api.url, token);
    await eventually('the line is known', 30, async () =>
      (await brief.get('/v1/jobs')).status === 200 ? true : undefined,
    );
    const stream = await openEventStream(`${installation.api.url}/v1/events`, {
      authorization: `Bearer ${token}`,
    });
    await installation.cluster.client.request({
      method: 'DELETE',
      path: '/api/v1/namespaces/ci/serviceaccounts/brief',
    });
    expect(await stream.over).toBe('ended');
    expect((await brief.get('/v1/jobs')).status).toBe(401);
  });

  it('is refused with 401 when the cluster did not sign the token', async () => {
    const [head, claims] = (await accountToken('runner')).split('.');
    const forged = apiClient(installation.api.url, `${head}.${claims}.${'A'.repeat(342)}`);
    expect((await forged.get('/v1/jobs')).status).toBe(401);
  });
});

describe('a user of an identity provider', () => {
  it('can read Jobs, and can submit Jobs where both Jobledger and the cluster permit it', async () => {
    const alice = apiClient(installation.api.url, idToken());
    expect((await alice.get('/v1/jobs/of-runner?namespace=ci')).status).toBe(200);
    expect(await submit(alice, 'of-alice')).toMatchObject({ status: 201 });
    expect((await submit(alice, 'not-there', 'default')).status).toBe(403);
    const bob = apiClient(installation.api.url, idToken({ sub: 'bob' }));
    expect(await submit(bob, 'of-bob')).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('"oidc:bob"') },
    });
  });

  it('is refused with 403 without a line in the token file, and with 401 for a wrong audience or an expired token', async () => {
    const status = async (claims: object): Promise<number> =>
      (await apiClient(installation.api.url, idToken(claims)).get('/v1/jobs')).status;
    expect(await status({ groups: [] })).toBe(403);
    expect(await status({ aud: 'kafka' })).toBe(401);
    expect(await status({ exp: Math.floor(Date.now() / 1000) - 60 })).toBe(401);
  });

  it('receives a stream of events until the ID token expires', async () => {
    const authorization = `Bearer ${idToken({ exp: Math.floor(Date.now() / 1000) + 3 })}`;
    const stream = await openEventStream(`${installation.api.url}/v1/events?from=start`, { authorization });
    await eventually('events have arrived', 30, async () => (stream.events.length > 0 ? true : undefined));
    expect(await stream.over).toBe('ended');
  });
});
