import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { z } from 'zod';
import type { ApiCalls } from '../../services/adapters/http/api-calls.ts';
import { applyOverApi } from '../../cli/verbs/prices/apply-over-api.ts';
import { printPricesOfApi } from '../../cli/verbs/prices/list.ts';
import type { ApplyOptions } from '../../cli/verbs/prices/print-applied.ts';

const LIST = {
  currency: 'EUR',
  prices: [{ resource: 'cpu', per_hour: '0.03', valid_from: '2026-12-01T00:00:00Z' }],
};

const CHANGED = {
  change: 'changed',
  resource: 'cpu',
  cluster: 'west',
  node_class: 'm5.large',
  capacity_type: 'spot',
  valid_from: '2026-12-01T00:00:00.000Z',
  before: { per_hour: '0.02', currency: 'EUR', valid_until: '2027-01-01T00:00:00.000Z' },
  after: { per_hour: '0.03', currency: 'EUR', valid_until: null },
};

let printed: string;
beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text).replaceAll(/ +/g, ' ');
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Applies the list by an API that gives this result; returns the request. */
async function applied(result: object, options: Partial<ApplyOptions> = {}): Promise<unknown[]> {
  let request: unknown[] = [];
  const post = (path: string, query: unknown, body: unknown, schema: z.ZodType): Promise<unknown> => {
    request = [path, query, body];
    return Promise.resolve(schema.parse({ by: 'robot', applied: true, correction: false, ...result }));
  };
  const given = { dryRun: false, correction: false, ...options } as ApplyOptions;
  await applyOverApi({ post } as unknown as ApiCalls, LIST, given);
  return request;
}

describe('prices through the API', () => {
  it('are listed as on the servers', async () => {
    const item = {
      resource: 'cpu',
      cluster: '*',
      node_class: '*',
      capacity_type: '*',
      per_hour: '0.03',
      currency: 'EUR',
      valid_from: '2026-12-01T00:00:00.000Z',
      valid_until: null,
      applied_by: 'anna (by robot)',
      applied_at: '2026-11-30T00:00:00.000Z',
    };
    const get = (_path: string, _query: unknown, schema: z.ZodType): Promise<unknown> =>
      Promise.resolve(schema.parse({ items: [item] }));
    await printPricesOfApi({ get } as unknown as ApiCalls, {});
    expect(printed).toMatch(
      /^RESOURCE CLUSTER NODES PER HOUR FROM UNTIL\ncpu every every 0\.03 EUR 2026-12-01T00:00:00\.000Z *\napplied by anna \(by robot\) at 2026-11-30T00:00:00\.000Z\n$/,
    );
  });

  it('are applied with the options of the user, and the differences are printed', async () => {
    const request = await applied({ changes: [CHANGED], correction: true }, { by: 'anna', correction: true });
    expect(request).toEqual(['/v1/prices', { by: 'anna', dry_run: 'false', correction: 'true' }, LIST]);
    expect(printed).toBe(
      [
        'CHANGE RESOURCE CLUSTER NODES FROM PRESENT NEW',
        'changed cpu west spot m5.large 2026-12-01T00:00:00.000Z 0.02 EUR until 2027-01-01T00:00:00.000Z 0.03 EUR',
        'recorded by robot as a correction of the past\n',
      ].join('\n'),
    );
  });

  it('are only compared with --dry-run', async () => {
    const request = await applied({ applied: false, changes: [CHANGED] }, { dryRun: true });
    expect(request[1]).toEqual({ by: undefined, dry_run: 'true', correction: 'false' });
    expect(printed).toContain('nothing was recorded (--dry-run)\n');
  });

  it('are printed as JSON with -o json', async () => {
    await applied({ changes: [] }, { output: 'json' });
    expect(JSON.parse(printed)).toEqual({ by: 'robot', applied: true, correction: false, changes: [] });
  });
});
