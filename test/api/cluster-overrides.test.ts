import { describe, expect, it } from '@jest/globals';
import {
  hasEffect,
  RefusedOverrideError,
  type OverrideRequest,
} from '../../services/requests/override-cluster.ts';
import type { ClusterOverrides } from '../../services/api/cluster-overrides.ts';
import { NO_OVERRIDES } from '../support/no-overrides.ts';
import { stubApi } from '../support/stub-api.ts';

/** The response to a request of the bearer, and the overrides that reached the service. */
async function overridden(
  path: string,
  {
    token = 'robot-token',
    override = NO_OVERRIDES.override,
  }: { token?: string; override?: ClusterOverrides['override'] } = {},
): Promise<{ status: number; body: Record<string, unknown>; requests: OverrideRequest[] }> {
  const requests: OverrideRequest[] = [];
  const server = await stubApi({
    overrides: {
      ...NO_OVERRIDES,
      override: (request) => {
        requests.push(request);
        return override(request);
      },
    },
  });
  const headers = { authorization: `Bearer ${token}` };
  const response = await server.inject({ method: 'POST', url: `/v1/clusters/${path}`, headers });
  await server.close();
  return { status: response.statusCode, body: response.json(), requests };
}

describe('an override of a cluster that a user requests through the API', () => {
  it('is recorded with the name of the token and the name of the user', async () => {
    const { status, body, requests } = await overridden('west/cordon?by=anna');
    expect(requests).toEqual([{ verb: 'cordon', cluster: 'west', by: 'anna (by robot)', force: false }]);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        cluster: 'west',
        verb: 'cordon',
        by: 'anna (by robot)',
        changed: true,
        cordoned: { by: 'anna (by robot)', at: '2026-11-21T03:12:00.000Z', drain: false },
        lost: null,
        silent_since: null,
      },
    });
  });

  it.each(['drain', 'uncordon', 'lost', 'found'])(
    'is recorded with the verb of the request: %s',
    async (verb) => {
      const { status, requests } = await overridden(`west/${verb}`);
      expect([status, requests.map((each) => each.verb)]).toEqual([200, [verb]]);
    },
  );

  it('changes nothing, and the response reports no change, when it takes back an override that does not exist', async () => {
    const override = () => Promise.resolve({ availability: {}, isChanged: false });
    expect((await overridden('west/found', { override })).body).toMatchObject({ changed: false, lost: null });
    const by = { by: 'anna', at: 0 };
    expect(hasEffect('found', {})).toBe(false);
    expect(hasEffect('uncordon', { lost: by })).toBe(false);
    expect(hasEffect('uncordon', { cordoned: by })).toBe(true);
    expect(hasEffect('found', { lost: by })).toBe(true);
    expect(hasEffect('cordon', {})).toBe(true);
  });

  it('may be forced only when it declares a cluster lost', async () => {
    expect((await overridden('west/lost?force=true')).requests).toMatchObject([{ force: true }]);
    expect((await overridden('west/drain?force=true')).status).toBe(400);
  });

  it('needs a token with the scope operate', async () => {
    expect(await overridden('west/drain', { token: 'reader-token' })).toMatchObject({
      status: 403,
      requests: [],
    });
  });

  it('needs a token with rights for the whole cluster', async () => {
    expect(await overridden('west/drain', { token: 'placed-token' })).toMatchObject({ status: 200 });
    expect(await overridden('west/drain', { token: 'team-token' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('concerns all of the cluster "west"') as unknown },
      requests: [],
    });
  });

  it('is refused with the same text as on the command line', async () => {
    const refusing =
      (refusal: Error): ClusterOverrides['override'] =>
      async () => {
        throw refusal;
      };
    const answers = new RefusedOverrideError(
      'the cluster west answers, so its Jobs can be stopped: drain it',
    );
    expect(await overridden('west/lost', { override: refusing(answers) })).toMatchObject({
      status: 409,
      body: { type: 'urn:jobledger:problem:conflict', detail: answers.message },
    });
    const unknown = new RefusedOverrideError('no cluster "w" was ever connected', { isUnknown: true });
    expect(await overridden('w/lost', { override: refusing(unknown) })).toMatchObject({
      status: 404,
      body: { detail: unknown.message },
    });
  });
});
