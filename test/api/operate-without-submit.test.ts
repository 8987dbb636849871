import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { stubApi } from '../support/stub-api.ts';

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] } } },
};

/** What a token gets, by its line: the status of a submission, of a suspension, and its scopes. */
async function rightsOf(token: string, level: () => Promise<number>): Promise<unknown[]> {
  const server = await stubApi({}, level);
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

const level = (current: number) => () => Promise.resolve(current);

describe('a token with the scope `operate`, without options in its line', () => {
  it('submits Jobs below feature level 5', async () => {
    expect(await rightsOf('robot-token', level(4))).toEqual([201, 202, ['operate', 'submit']]);
  });

  it('does not from feature level 5 on', async () => {
    expect(await rightsOf('robot-token', level(5))).toEqual([403, 202, ['operate']]);
  });

  it('waits for the level to be known: submitting is answered 503, everything else as before', async () => {
    const unknown = (): Promise<number> => Promise.reject(new UnavailableError('Kafka does not answer'));
    expect(await rightsOf('robot-token', unknown)).toEqual([503, 202, ['operate']]);
  });
});

describe('other tokens', () => {
  it.each([
    ['with `submit`', 'owner-token', [201, 202, ['read', 'submit', 'operate']]],
    ['with places', 'placed-token', [403, 202, ['operate']]],
  ])('%s have what their line says, whatever the level', async (_what, token, rights) => {
    expect(await rightsOf(token, level(4))).toEqual(rights);
    expect(await rightsOf(token, level(5))).toEqual(rights);
  });
});
