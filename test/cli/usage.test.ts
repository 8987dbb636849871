import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import type { z } from 'zod';
import type { ApiCalls } from '../../services/adapters/http/api-calls.ts';
import type { UsageByGroup } from '../../services/read-model/views/usage.ts';
import { printUsageOfApi } from '../../cli/verbs/usage/over-api.ts';
import { printUsage, type UsageOptions } from '../../cli/verbs/usage/print-usage.ts';
import { registerUsage } from '../../cli/verbs/usage/usage.ts';
import { NO_USAGE } from '../support/no-usage.ts';

const MATHS = {
  ...NO_USAGE,
  value: 'maths',
  pod_hours: 8,
  cpu_core_hours: 16.004,
  wasted_pod_hours: 2,
  cost: '3.456789',
};
const ART = { ...NO_USAGE, value: 'art', pod_hours: 1 };
const USAGE: UsageByGroup = {
  from: '2026-11-24T05:00:00.000Z',
  before: '2026-12-01T06:00:00.000Z',
  currency: 'EUR',
  total: { ...NO_USAGE, pod_hours: 9, cpu_core_hours: 16.004, wasted_pod_hours: 2, cost: '3.456789' },
  items: [MATHS, ART],
};
const OPTIONS = { by: 'team', limit: 2 } as UsageOptions;

let printed: string;
let reported: string;
beforeEach(() => {
  [printed, reported] = ['', ''];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text).replaceAll(/ +/g, ' ');
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    reported += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the usage', () => {
  it('is printed by group, with the sum and the costs', () => {
    printUsage(USAGE, OPTIONS);
    expect(printed.split('\n')).toEqual([
      'from 2026-11-24T05:00:00.000Z to 2026-12-01T06:00:00.000Z',
      'TEAM POD HOURS CPU CORE HOURS MEMORY GIB HOURS GPU HOURS WASTED COST (EUR)',
      'maths 8.00 16.00 0.00 0.00 25.0 % 3.46',
      'art 1.00 0.00 0.00 0.00 0.0 % -',
      'total 9.00 16.00 0.00 0.00 22.2 % 3.46',
      '',
    ]);
    expect(reported).toBe('');
  });

  it('has no column of costs without prices, and says what is uncertain', () => {
    const total = { ...USAGE.total, uncertain_pod_hours: 0.5, watched: 0.875 };
    printUsage({ ...USAGE, currency: null, total }, OPTIONS);
    expect(printed).not.toContain('COST');
    expect(printed).toContain(
      '0.50 of the pod hours are uncertain, because nobody saw the ends of the pods\n',
    );
    expect(printed).toContain('changes of pods were missed in 12.5 % of the time\n');
  });

  it('has at most the groups of the limit, and says that there are more', () => {
    printUsage(USAGE, { ...OPTIONS, limit: 1 });
    expect(printed).not.toContain('art');
    expect(printed).toContain('total 9.00');
    expect(reported).toBe('more than 1 groups; --limit shows more\n');
  });

  it('calls time without waste "not wasted", and prints all figures as JSON', () => {
    printUsage({ ...USAGE, items: [{ ...ART, value: null }] }, { ...OPTIONS, by: 'waste' });
    expect(printed).toContain('not wasted 1.00');
    printed = '';
    printUsage(USAGE, { ...OPTIONS, limit: 1, output: 'json' });
    expect(JSON.parse(printed)).toEqual({ ...USAGE, items: [MATHS] });
  });

  it('is read from the API with the options of the user', async () => {
    let request: unknown[] = [];
    const get = (path: string, query: unknown, schema: z.ZodType): Promise<unknown> => {
      request = [path, query];
      return Promise.resolve(schema.parse(USAGE));
    };
    const options = { ...OPTIONS, since: 0, team: 'maths', limit: 9000 };
    await printUsageOfApi({ get } as unknown as ApiCalls, options);
    expect(request).toEqual([
      '/v1/usage',
      { by: 'team', from: '1970-01-01T00:00:00.000Z', before: undefined, team: 'maths', limit: 500 },
    ]);
    expect(printed).toContain('maths 8.00');
  });

  it.each([
    [['--since', '1h', '--before', '2h'], '--before: the period ends before it begins (--since)'],
    [['--since', 'yesterday'], '--since: '],
  ])('refuses the period %j', async (args, message) => {
    const program = new Command().exitOverride();
    registerUsage(program);
    await expect(program.parseAsync(['usage', ...args], { from: 'user' })).rejects.toThrow(message);
  });
});
