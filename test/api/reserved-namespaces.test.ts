import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createOrdinaryCheck } from '../../services/api/submission/reserved.ts';
import { stubApi } from '../support/stub-api.ts';

let server: HttpServer;
beforeAll(async () => {
  server = await stubApi({ requireOrdinary: createOrdinaryCheck('our-own') });
});
afterAll(() => server.close());

const EVERYWHERE = 'owner-token';
const NAMED = 'system-token';

async function submitted(namespace: string, token: string): Promise<number> {
  const spec = { template: { spec: { containers: [] } } };
  const { statusCode } = await server.inject({
    method: 'POST',
    url: '/v1/clusters/local/jobs',
    headers: { authorization: `Bearer ${token}` },
    payload: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi', namespace }, spec },
  });
  return statusCode;
}

describe('a Job in a namespace of the system or of Jobledger', () => {
  it.each(['kube-system', 'kube-public', 'kube-node-lease', 'our-own'])(
    'is accepted in %s only with a token whose line names that namespace',
    async (namespace) => {
      expect(await submitted(namespace, EVERYWHERE)).toBe(403);
      expect(await submitted(namespace, NAMED)).toBe(namespace === 'kube-system' ? 201 : 403);
      expect(await submitted('default', EVERYWHERE)).toBe(201);
    },
  );
});

describe('the retry of a Job in a namespace of the system', () => {
  it('is refused like a new Job', async () => {
    const ofDefault = await stubApi({ requireOrdinary: createOrdinaryCheck('default') });
    const { statusCode, body } = await ofDefault.inject({
      method: 'POST',
      url: '/v1/jobs/pi/retry',
      headers: { authorization: `Bearer ${EVERYWHERE}` },
    });
    expect([statusCode, body]).toEqual([403, expect.stringContaining('in=local/default')]);
    await ofDefault.close();
  });
});
