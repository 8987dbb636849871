import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeEvent, encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { aJob, clusterGap, jobObserved } from '../projector/builders.ts';
import { randomPodLife } from '../projector/pod-lives.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { jobledger, listDifferences, rebuildTables, type CommandResult } from '../support/rebuild.ts';
import { seededRandom } from '../support/random.ts';

jest.setTimeout(120_000);

let ledger: ALedger;

beforeAll(async () => {
  ledger = await startLedger();
  await ledger.start('projector');
  const lives = Array.from({ length: 30 }, (_, at) => randomPodLife(at, seeded)).filter(
    ({ isOpen }) => !isOpen,
  );
  const events = [
    jobObserved(0, aJob({ version: 1 })),
    ...lives.flatMap((life) => life.events),
    clusterGap(1, 2),
  ];
  await ledger.append(events.map((event) => encodeEvent(event)));
  await ledger.applied();
}, 120_000);
afterAll(() => ledger?.stop(), 60_000);

const seeded = seededRandom(3);

/** Writes a price list; each entry has a resource, a price and the day on which the price begins. */
function listOf(name: string, entries: readonly (readonly [string, string, string])[]): string {
  const file = join(ledger.stateDir, name);
  const lines = entries.map(
    ([resource, price, day]) =>
      `  - { resource: ${resource}, per_hour: ${price}, valid_from: ${day}T00:00:00Z }`,
  );
  writeFileSync(file, ['currency: EUR', 'prices:', ...lines, ''].join('\n'));
  return file;
}

/** Runs a verb on the servers. After a list was recorded, waits until the tables have it. */
async function prices(...args: string[]): Promise<CommandResult> {
  const result = await jobledger(ledger.environment, 'prices', ...args);
  await ledger.applied();
  return result;
}

const rows = async <Row>(text: string): Promise<Row[]> => (await ledger.client.query(text)).rows as Row[];

describe('jobledger prices on the servers', () => {
  const first: [string, string, string][] = [
    ['cpu', '0.031', '2026-03-01'],
    ['memory', '0.0042', '2026-03-01'],
  ];

  it('lists no prices before the first list', async () => {
    expect(await prices()).toMatchObject({
      exitCode: 0,
      stdout: 'no prices; "jobledger prices apply FILE" records a price list\n',
    });
  });

  it('shows the differences with --dry-run, and records nothing', async () => {
    const { stdout, exitCode } = await prices('apply', listOf('first.yaml', first), '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(/ +/g, ' ')).toBe(
      [
        'CHANGE RESOURCE CLUSTER NODES FROM PRESENT NEW',
        'added cpu every every 2026-03-01T00:00:00.000Z 0.031 EUR',
        'added memory every every 2026-03-01T00:00:00.000Z 0.0042 EUR',
        'nothing was recorded (--dry-run)\n',
      ].join('\n'),
    );
    expect(await rows('select from jobledger.applied_prices')).toEqual([]);
  });

  it('records the first list as one event with the name of the user, and lists it', async () => {
    const { stdout } = await prices('apply', listOf('first.yaml', first), '--by', 'anna');
    expect(stdout).toContain('recorded by anna\n');
    const listed = await prices();
    expect(listed.stdout.replaceAll(/ +/g, ' ')).toMatch(
      /^RESOURCE CLUSTER NODES PER HOUR FROM UNTIL\ncpu every every 0\.031 EUR 2026-03-01T00:00:00\.000Z *\nmemory every every 0\.0042 EUR .*\napplied by anna at 20/,
    );
    const events = await rows<{ subject: string; cluster: string; by: string }>(
      "select subject, cluster, data ->> 'by' as by from jobledger.events where type = 'prices.applied'",
    );
    expect(events).toEqual([{ subject: '*', cluster: '*', by: 'anna' }]);
    expect(await rows("select from jobledger.clusters where name = '*'")).toEqual([]);
    expect(await rows('select from jobledger.usage_hourly where cost > 0')).not.toEqual([]);
  });

  it('records nothing when the list is the present list', async () => {
    const same = listOf('same.yaml', first.toReversed());
    expect((await prices('apply', same)).stdout).toBe(
      'the present list has the same prices, so nothing was recorded\n',
    );
  });

  it('refuses a list that changes the past, and accepts it as a correction', async () => {
    const dearer = listOf('dearer.yaml', [['cpu', '0.04', '2026-03-01']]);
    const cost = async (): Promise<string | undefined> =>
      (await rows<{ cost: string }>('select sum(cost)::text as cost from jobledger.usage_hourly'))[0]?.cost;
    const before = await cost();
    expect(await prices('apply', dearer)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'the list changes prices of the past: cpu in every cluster costs 0.031 EUR at 2026-03-01T00:00:00.000Z, and would cost 0.04 EUR',
      ),
    });
    expect(await cost()).toBe(before);
    const corrected = await prices('apply', dearer, '--correction', '--by', 'anna');
    expect(corrected.stdout).toContain('recorded by anna as a correction of the past\n');
    expect(await cost()).not.toBe(before);
    expect(await rows('select distinct correction from jobledger.prices')).toEqual([{ correction: true }]);
  });

  it('keeps the price of the past when a list has another price for the future', async () => {
    const list = listOf('next.yaml', [
      ['cpu', '0.04', '2026-03-01'],
      ['cpu', '0.02', '2090-01-01'],
    ]);
    expect((await prices('apply', list)).exitCode).toBe(0);
    const { stdout } = await prices('-o', 'json');
    expect(
      (JSON.parse(stdout) as Record<string, unknown>[]).map(({ per_hour, valid_until }) => [
        per_hour,
        valid_until,
      ]),
    ).toEqual([
      ['0.04', '2090-01-01T00:00:00.000Z'],
      ['0.02', null],
    ]);
  });

  it.each([
    ['a file that is missing', () => 'none.yaml', 'none.yaml cannot be read'],
    [
      'a list with an unknown cluster',
      () => listOf('nord.yaml', [['cpu, cluster: nord', '1', '2090-01-01']]),
      'prices[0].cluster: no cluster "nord" was ever connected; there are: east',
    ],
    [
      'a list with a negative price',
      () => listOf('negative.yaml', [['cpu', '-1', '2090-01-01']]),
      'negative.yaml: prices[0].per_hour: must not be negative',
    ],
  ])('refuses %s', async (_what, file, message) => {
    expect(await prices('apply', file())).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('leaves tables that a rebuild makes again from the ledger', async () => {
    const rebuilt = await rebuildTables(ledger.environment, '--check');
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(rebuilt.exitCode).toBe(0);
    expect(rebuilt.tables.find(({ table }) => table === 'applied_prices')).toMatchObject({ rows: '5' });
  });

  it('is in an export of the whole ledger, which is complete', async () => {
    const file = join(ledger.stateDir, 'all.ndjson');
    const exported = await jobledger(ledger.environment, 'admin', 'export', '--output', file);
    expect(exported.stderr).toMatch(/1 Job, 0 CronJobs and 1 cluster|of 1 Job.*1 cluster/);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const lists = lines.map((line) => decodeEvent(line)).filter(({ type }) => type === 'prices.applied');
    expect(lists).toHaveLength(3);
    const checked = await jobledger(ledger.environment, 'admin', 'import', '--check', file);
    expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 events missing') });
  });
});
