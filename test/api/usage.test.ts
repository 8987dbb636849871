import { describe, expect, it } from '@jest/globals';
import type { Run } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { NO_USAGE } from '../support/no-usage.ts';
import { stubApi } from '../support/stub-api.ts';

const SUM = {
  ...NO_USAGE,
  value: null,
  is_total: true,
  currency: 'EUR',
  pod_hours: 2,
  cpu_core_hours: 1,
  cost: '0.060000',
};

/** The response to a request, and the statements that it ran. */
async function requested(query: string): Promise<{ status: number; body: object; ran: Statement[] }> {
  const ran: Statement[] = [];
  const run = ((statement: Statement) => {
    ran.push(statement);
    return Promise.resolve([SUM, { ...SUM, value: 'maths', is_total: false }]);
  }) as unknown as Run;
  const server = await stubApi({ reads: ({ caller: { places } }, work) => work(run, places) });
  const response = await server.inject({
    method: 'GET',
    url: `/v1/usage?${query}`,
    headers: { authorization: 'Bearer reader-token' },
  });
  await server.close();
  return { status: response.statusCode, body: response.json(), ran };
}

describe('GET /v1/usage', () => {
  it('has whole hours, the sum and the groups', async () => {
    const { status, body, ran } = await requested(
      'by=team&from=2026-11-01T00:30:00Z&before=2026-11-01T02:00:00.001Z&team=maths',
    );
    const { is_total: _isTotal, value: _value, currency, ...total } = SUM;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        from: '2026-11-01T00:00:00.000Z',
        before: '2026-11-01T03:00:00.000Z',
        currency,
        total,
        items: [{ ...total, value: 'maths' }],
      },
    });
    expect(ran[0]?.values.slice(0, 6)).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-01T03:00:00.000Z',
      null,
      null,
      'maths',
      100,
    ]);
  });

  it('has the seven days before its end by default', async () => {
    const { body } = await requested('by=day&before=2026-11-08T00:00:00Z');
    expect(body).toMatchObject({ from: '2026-11-01T00:00:00.000Z', before: '2026-11-08T00:00:00.000Z' });
  });

  it('has instants of the years 1 to 9999 at the ends of the calendar', async () => {
    const first = await requested('by=day&before=0001-01-01T00:00:00Z');
    expect(first.body).toMatchObject({
      from: '0001-01-01T00:00:00.000Z',
      before: '0001-01-01T00:00:00.000Z',
    });
    const last = await requested('by=day&from=9999-12-31T22:30:00Z&before=9999-12-31T23:30:00Z');
    expect(last.body).toMatchObject({ from: '9999-12-31T22:00:00.000Z', before: '9999-12-31T23:00:00.000Z' });
  });

  it.each([
    ['by=owner', 'by'],
    ['', 'by'],
    ['by=team&limit=501', 'limit'],
    ['by=team&since=7d', 'since'],
  ])('refuses %s', async (query, named) => {
    const { status, body, ran } = await requested(query);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(named);
    expect(ran).toEqual([]);
  });
});
