import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { stubApi } from '../support/stub-api.ts';

let server: HttpServer;
beforeAll(async () => void (server = await stubApi()));
afterAll(() => server?.close());

async function ask(token?: string): Promise<[number, unknown]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await server.inject({ url: '/v1/whoami', headers });
  return [answer.statusCode, answer.json()];
}

describe('whoami', () => {
  it('responds to every known token, whatever its scopes', async () => {
    expect(await ask('reader-token')).toEqual([200, { name: 'reader', groups: [], scopes: ['read'] }]);
    expect(await ask('robot-token')).toMatchObject([200, { scopes: ['operate'] }]);
  });

  it('responds to nobody else', async () => {
    expect(await ask()).toMatchObject([401, { detail: 'give a token: "Authorization: Bearer …"' }]);
    expect(await ask('unknown')).toMatchObject([401, {}]);
  });
});
