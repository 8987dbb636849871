import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { z } from 'zod';
import type { ApiCalls } from '../../services/adapters/http/api-calls.ts';
import { printClustersFromApi } from '../../cli/verbs/clusters/print-from-api.ts';

const HEARD = new Date(Date.now() - 181 * 60_000).toISOString();

const PRESENT = {
  name: 'east',
  uid: 'u1',
  version: 'v1.37.2',
  apis: null,
  not_recorded: [],
  first_connected_at: '2026-11-20T00:00:00.000Z',
  last_connected_at: '2026-11-20T00:00:00.000Z',
  job_count: 3,
  unfinished_count: 2,
  gap_count: 0,
  last_gap_since: null,
  last_gap_until: null,
  last_api_request_at: null,
  active_pod_count: 4,
  placed_count: 0,
  availability: null,
  dead_letter_count: 1,
  first_dead_letter_at: '2026-11-21T00:00:00.000Z',
  limits: [],
  shards: [
    { shard: 1, leader: 'node-1_7_1', since: HEARD, version: '0.1.0' },
    { shard: 2, leader: null, since: null, version: null },
  ],
  recorded_fields: [],
  jobs_received_at: HEARD,
  pods_received_at: null,
};

const PARTS = { 'cluster east': { status: 'down' }, projection: { status: 'ok', detail: 'up to date' } };

let printed: string;
beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function printedTable(cluster: object): Promise<Record<string, string>> {
  const responses: Record<string, unknown> = {
    '/v1/clusters': { items: [cluster] },
    '/readyz': { parts: PARTS },
  };
  const get = async (path: string, _query: unknown, schema: z.ZodType): Promise<unknown> =>
    schema.parse(responses[path]);
  await printClustersFromApi({ get } as unknown as ApiCalls, {});
  const [titles = '', row = ''] = printed.split('\n');
  const starts = [...titles.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
  return Object.fromEntries(
    starts.map(({ title, index }, at) => [title, row.slice(index, starts[at + 1]?.index).trim()]),
  );
}

describe('the list of clusters through the API', () => {
  it('shows the leader of each shard as direct access does, and whether the API reaches the cluster', async () => {
    expect(await printedTable(PRESENT)).toMatchObject({
      NAME: 'east',
      LEADER: 'node-1_7_1 -',
      INGESTER: '0.1.0',
      'JOBS RECEIVED': '3h1m ago',
      'PODS RECEIVED': '',
      REACHED: 'no',
      'ACTIVE PODS': '4',
      'LAST REQUEST': 'not recorded',
      'DEAD LETTERS': '1 since 2026-11-21T00:00:00.000Z',
    });
    expect(printed).toMatch(/\nprojection: +up to date\n$/);
  });

  it('shows when a request of the audit log was last recorded', async () => {
    expect(await printedTable({ ...PRESENT, last_api_request_at: HEARD })).toMatchObject({
      'LAST REQUEST': '3h1m ago',
    });
  });
});
