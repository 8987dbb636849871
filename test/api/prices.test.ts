import { describe, expect, it } from '@jest/globals';
import type { Run } from '../../services/adapters/postgres/database.ts';
import type { PlannedPrices } from '../../services/requests/prices/apply-prices.ts';
import { stubApi } from '../support/stub-api.ts';

const LIST = {
  currency: 'EUR',
  prices: [{ resource: 'cpu', per_hour: '0.03', valid_from: '2026-01-01T00:00:00Z' }],
};

/** The price that the tables have, and a cluster. */
const STORED = {
  resource: 'cpu',
  cluster: '*',
  per_hour: '0.02',
  currency: 'EUR',
  valid_from: '2026-01-01T00:00:00.000Z',
  valid_until: null,
  applied_by: 'anna',
  applied_at: '2026-02-01T00:00:00.000Z',
};

interface Answer {
  status: number;
  body: Record<string, unknown>;
  applied: [PlannedPrices, string][];
}

/** The response to a request of the bearer, and the lists that were recorded. */
async function requested(
  query: string,
  { token = 'owner-token', body = LIST, stored = [] as object[] } = {},
): Promise<Answer> {
  const applied: Answer['applied'] = [];
  const run = (({ text }: { text: string }) =>
    Promise.resolve(text.includes('jobledger.prices') ? stored : [{ name: 'local' }])) as unknown as Run;
  const server = await stubApi({
    reads: ({ caller: { places } }, work) => work(run, places),
    applyPrices: (...list) => {
      applied.push(list);
      return Promise.resolve();
    },
  });
  const headers = { authorization: `Bearer ${token}` };
  const response = await server.inject({ method: 'POST', url: `/v1/prices${query}`, headers, payload: body });
  await server.close();
  return { status: response.statusCode, body: response.json(), applied };
}

describe('a price list that a user applies through the API', () => {
  it('is recorded with the name of the token and the name of the user', async () => {
    const { status, body, applied } = await requested('?by=anna');
    expect(status).toBe(200);
    expect(body).toEqual({
      by: 'anna (by owner)',
      applied: true,
      correction: false,
      changes: [
        {
          change: 'added',
          resource: 'cpu',
          cluster: '*',
          node_class: '*',
          capacity_type: '*',
          valid_from: '2026-01-01T00:00:00.000Z',
          before: null,
          after: { per_hour: '0.03', currency: 'EUR', valid_until: null },
        },
      ],
    });
    expect(applied).toMatchObject([[{ currency: 'EUR', isCorrection: false }, 'anna (by owner)']]);
  });

  it('is only compared with dry_run, and when it is equal to the present list', async () => {
    expect(await requested('?dry_run=true')).toMatchObject({ body: { applied: false }, applied: [] });
    const same = [{ ...STORED, per_hour: '0.030' }];
    expect(await requested('', { stored: same })).toMatchObject({
      body: { applied: false, changes: [] },
      applied: [],
    });
  });

  it('is a conflict when it changes prices of the past, unless it is a correction', async () => {
    expect(await requested('', { stored: [STORED] })).toMatchObject({
      status: 409,
      body: {
        type: 'urn:jobledger:problem:conflict',
        detail: expect.stringContaining('cpu in every cluster costs 0.02 EUR') as unknown,
      },
      applied: [],
    });
    const { body, applied } = await requested('?correction=true', { stored: [STORED] });
    expect(body).toMatchObject({ applied: true, correction: true });
    expect(applied).toMatchObject([[{ isCorrection: true }, 'owner']]);
  });

  it('is later than the present list, also by a clock that is behind', async () => {
    const later = [{ ...STORED, per_hour: '0.03', applied_at: '2999-01-01T00:00:00.000Z', cluster: 'local' }];
    const { applied } = await requested('?correction=true', { stored: later });
    expect(applied.map(([{ at }]) => new Date(at).toISOString())).toEqual(['2999-01-01T00:00:00.001Z']);
  });

  it('is refused with every problem of the whole list', async () => {
    const [price] = LIST.prices;
    const body = { currency: 'XYZ', prices: [price, { ...price, cluster: 'nord' }] };
    expect(await requested('', { body: body as typeof LIST })).toMatchObject({
      status: 422,
      body: {
        type: 'urn:jobledger:problem:invalid-prices',
        detail:
          'currency: must be the code of a currency by ISO 4217 in capital letters, such as EUR; prices[1].cluster: no cluster "nord" was ever connected; there are: local',
      },
      applied: [],
    });
  });

  it.each([
    ['a token without the scope', 'robot-token'],
    ['a token that only reads', 'reader-token'],
    ['a token of some places', 'team-prices-token'],
  ])('is refused for %s', async (_who, token) => {
    expect(await requested('', { token })).toMatchObject({ status: 403, applied: [] });
  });

  it('may come from a token for every place', async () => {
    expect(await requested('', { token: 'prices-token' })).toMatchObject({ status: 200 });
  });
});
