import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { callerOfPerson } from '../../services/api/access/people.ts';
import { readAccess } from '../../services/api/access/tokens.ts';
import { toWhoami } from '../../services/api/routes/whoami.ts';
import { stubApi } from '../support/stub-api.ts';

let server: HttpServer;
beforeAll(async () => void (server = await stubApi()));
afterAll(() => server?.close());

async function ask(token?: string): Promise<[number, unknown]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await server.inject({ url: '/v1/whoami', headers });
  return [answer.statusCode, answer.json()];
}

describe('the route whoami', () => {
  it('responds to every known token, whatever its scopes', async () => {
    expect(await ask('reader-token')).toEqual([
      200,
      { name: 'reader', groups: [], scopes: ['read'], rights: [{ scope: 'read', places: null }] },
    ]);
    expect(await ask('robot-token')).toMatchObject([200, { scopes: ['operate'] }]);
  });

  it('shows for a token of the file the scopes of its line, each with the places of the line', async () => {
    const [, team] = await ask('team-token');
    expect(team).toMatchObject({
      rights: [{ scope: 'operate', places: [{ cluster: '*', namespace: 'team-a' }] }],
    });
  });

  it('shows for each scope the places of all lines that give the person that scope', () => {
    const person = { name: 'ann', groups: ['payments'], cluster: null };
    const lines = 'user:ann read in=east/payments\ngroup:payments read,operate in=west/payments';
    const { entries } = readAccess(lines, 'tokens');
    const { rights } = toWhoami(callerOfPerson(person, entries, 'any'));
    expect(rights).toEqual([
      {
        scope: 'read',
        places: [
          { cluster: 'east', namespace: 'payments' },
          { cluster: 'west', namespace: 'payments' },
        ],
      },
      { scope: 'operate', places: [{ cluster: 'west', namespace: 'payments' }] },
    ]);
  });

  it('refuses callers that are not known', async () => {
    expect(await ask()).toMatchObject([401, { detail: 'give a token: "Authorization: Bearer …"' }]);
    expect(await ask('unknown')).toMatchObject([401, {}]);
  });
});
