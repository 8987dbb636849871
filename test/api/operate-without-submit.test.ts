import { describe, expect, it } from '@jest/globals';
import { stubApi } from '../support/stub-api.ts';

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] } } },
};

/** What a token gets, by its line: the status of a submission, of a suspension, and its scopes. */
async function readRights(token: string): Promise<unknown[]> {
  const server = await stubApi();
  const headers = { authorization: `Bearer ${token}` };
  const submitted = await server.inject({
    method: 'POST',
    url: '/v1/clusters/local/jobs',
    headers,
    payload: JOB,
  });
  const suspended = await server.inject({ method: 'POST', url: '/v1/jobs/pi/suspend', headers });
  const whoami = await server.inject({ method: 'GET', url: '/v1/whoami', headers });
  await server.close();
  return [submitted.statusCode, suspended.statusCode, whoami.json<{ scopes: string[] }>().scopes];
}

describe('the scopes of a token in the API', () => {
  it.each([
    ['with `operate` alone may not submit Jobs', 'robot-token', [403, 202, ['operate']]],
    ['with `submit` may submit Jobs', 'owner-token', [201, 202, ['read', 'submit', 'operate', 'prices']]],
    ['with `operate` and places may not submit Jobs', 'placed-token', [403, 202, ['operate']]],
  ])('determine which requests are accepted: a token %s', async (_sentence, token, rights) => {
    expect(await readRights(token)).toEqual(rights);
  });
});
