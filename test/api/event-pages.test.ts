import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import { createReads } from '../../services/api/reads.ts';
import { eventually } from '../support/eventually.ts';
import { stubApi, eventsDependencies } from '../support/stub-api.ts';

let api: HttpServer;
/** Ends of the statements that search events, each of which runs until then. */
let running: (() => void)[];
/** From the end of the test on, every statement ends at once. */
let isOver: boolean;

const run = (async ({ text }: { text: string }) => {
  if (text.includes('jobledger.positions')) return [{ partition: 0, next_offset: '10' }];
  if (text.includes('as span') && !isOver) await new Promise<void>((resolve) => running.push(resolve));
  return [];
}) as unknown as Run;

beforeEach(async () => {
  [running, isOver] = [[], false];
  api = await stubApi({
    events: { ...eventsDependencies(), run },
    reads: createReads({ transaction: (work) => work(run) }),
  });
});
afterEach(async () => {
  isOver = true;
  for (const end of running) end();
  await api.close();
});

const pageFor = (token: string): Promise<number> =>
  api
    .inject({ url: '/v1/events?from=start', headers: { authorization: `Bearer ${token}` } })
    .then(({ statusCode }) => statusCode);

describe('the pages of events in the API', () => {
  it('leave connections to Postgres for the reads of other callers', async () => {
    const many = Array.from({ length: 20 }, () => pageFor('reader-token'));
    await eventually('the first ones run', 10, () => Promise.resolve(running.length >= 4 ? true : undefined));
    const other = pageFor('owner-token');
    await eventually('the other one runs', 10, () => Promise.resolve(running.length >= 5 ? true : undefined));
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    const atOnce = running.length;
    isOver = true;
    for (const end of running) end();
    expect(new Set(await Promise.all([...many, other]))).toEqual(new Set([200]));
    expect(atOnce).toBe(5);
  });
});
