import { describe, expect, it } from '@jest/globals';
import { RefusedSayingError, type Saying } from '../../services/contracts/say-of-cluster.ts';
import type { SaidOfClusters } from '../../services/api/said-of-clusters.ts';
import { NOTHING_SAID } from '../support/nothing-said.ts';
import { stubApi } from '../support/stub-api.ts';

/** The response to a request of the bearer, and what was said. */
async function said(
  path: string,
  { token = 'robot-token', say = NOTHING_SAID.say }: { token?: string; say?: SaidOfClusters['say'] } = {},
): Promise<{ status: number; body: Record<string, unknown>; sayings: Saying[] }> {
  const sayings: Saying[] = [];
  const server = await stubApi({
    said: {
      ...NOTHING_SAID,
      say: (saying) => {
        sayings.push(saying);
        return say(saying);
      },
    },
  });
  const headers = { authorization: `Bearer ${token}` };
  const response = await server.inject({ method: 'POST', url: `/v1/clusters/${path}`, headers });
  await server.close();
  return { status: response.statusCode, body: response.json(), sayings };
}

describe('what a person says of a cluster over the API', () => {
  it('is recorded with the name of the token, and that of the user', async () => {
    const { status, body, sayings } = await said('west/cordon?by=anna');
    expect(sayings).toEqual([{ verb: 'cordon', cluster: 'west', by: 'anna (by robot)', force: false }]);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        cluster: 'west',
        said: 'cordon',
        by: 'anna (by robot)',
        cordoned: { by: 'anna (by robot)', at: '2026-11-21T03:12:00.000Z', drain: false },
        lost: null,
        silent_since: null,
      },
    });
  });

  it.each(['drain', 'uncordon', 'lost', 'found'])('may be %s', async (verb) => {
    const { status, sayings } = await said(`west/${verb}`);
    expect([status, sayings.map((saying) => saying.verb)]).toEqual([200, [verb]]);
  });

  it('may be forced only for a lost cluster', async () => {
    expect((await said('west/lost?force=true')).sayings).toMatchObject([{ force: true }]);
    expect((await said('west/drain?force=true')).status).toBe(400);
  });

  it('needs the scope operate', async () => {
    expect(await said('west/drain', { token: 'reader-token' })).toMatchObject({ status: 403, sayings: [] });
  });

  it('needs the whole cluster', async () => {
    expect(await said('west/drain', { token: 'placed-token' })).toMatchObject({ status: 200 });
    expect(await said('west/drain', { token: 'team-token' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('concerns all of the cluster "west"') as unknown },
      sayings: [],
    });
  });

  it('is refused with the words of the command line', async () => {
    const refusing =
      (refusal: Error): SaidOfClusters['say'] =>
      async () => {
        throw refusal;
      };
    const answers = new RefusedSayingError('the cluster west answers, so its Jobs can be stopped: drain it');
    expect(await said('west/lost', { say: refusing(answers) })).toMatchObject({
      status: 409,
      body: { type: 'urn:jobledger:problem:conflict', detail: answers.message },
    });
    const unknown = new RefusedSayingError('no cluster "w" was ever connected', { isUnknown: true });
    expect(await said('w/lost', { say: refusing(unknown) })).toMatchObject({
      status: 404,
      body: { detail: unknown.message },
    });
  });
});
