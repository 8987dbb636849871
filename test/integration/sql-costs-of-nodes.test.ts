import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { countStaleUsage } from '../../services/projector/keep-usage.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { Price } from '../../workflows/ledger/prices.ts';
import { after, aJob, aPod, jobObserved, podObserved } from '../projector/builders.ts';
import { nodeDeleted, nodeObserved } from '../projector/node-events.ts';
import { pricesApplied } from '../projector/price-lists.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;
let project: ReturnType<typeof aGrowingLedger>;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  project = aGrowingLedger(database);
});

const HOUR = 3600;
const ON_DEMAND = { capacityType: 'on-demand', instanceType: 'c5.xlarge' } as const;

/** A pod with one core that held the node `node-1` from one second to another. */
function podOf(name: string, from: number, until: number): LedgerEvent {
  const terminated = { exitCode: 0, startedAt: after(from), finishedAt: after(until) };
  const pod = aPod({
    name,
    version: 100 + until,
    phase: 'Succeeded',
    metadata: { creationTimestamp: after(from) },
    status: {
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: after(from) }],
      containerStatuses: [{ name: 'main', state: { terminated } }],
    },
  });
  pod.spec.containers = [
    { name: 'main', resources: { requests: { cpu: '1' } } },
  ] as typeof pod.spec.containers;
  return podObserved(until, pod);
}

const aJobOfPods = (): LedgerEvent => jobObserved(0, aJob({ version: 1 }));

async function usage(): Promise<unknown[]> {
  return database.run(
    sql`select node_class, node_capacity_type as capacity_type, sum(pod_hours)::float as hours, sum(cost)::float as cost
      from jobledger.usage_hourly group by node_class, node_capacity_type order by node_class nulls last, node_capacity_type`,
  );
}

/** A core costs 1 an hour, 0.25 on a spot node and 2 on the class c5.xlarge. */
const PRICES: Price[] = [
  { resource: 'cpu', cluster: '*', perHour: '1', validFrom: '2026-01-01T00:00:00.000Z' },
  {
    resource: 'cpu',
    cluster: '*',
    capacityType: 'spot',
    perHour: '0.25',
    validFrom: '2026-01-01T00:00:00.000Z',
  },
  {
    resource: 'cpu',
    cluster: '*',
    nodeClass: 'c5.xlarge',
    perHour: '2',
    validFrom: '2026-01-01T00:00:00.000Z',
  },
];

describe('the usage on nodes whose class is recorded', () => {
  const story = (): LedgerEvent[] => [
    aJobOfPods(),
    pricesApplied(0, PRICES),
    nodeObserved(30),
    podOf('spot', HOUR, 3 * HOUR),
    nodeDeleted(3 * HOUR + 10),
    nodeObserved(4 * HOUR, ON_DEMAND, 'uid-2'),
    podOf('on-demand', 5 * HOUR, 6 * HOUR),
  ];
  const expected = [
    { node_class: 'c5.xlarge', capacity_type: 'on-demand', hours: 1, cost: 2 },
    { node_class: 'm5.2xlarge', capacity_type: 'spot', hours: 2, cost: 0.5 },
  ];

  it('has the hours by class, and an hour on a spot node costs the spot price', async () => {
    await project(story());
    expect(await usage()).toEqual(expected);
    await countStaleUsage(database);
    expect(await usage()).toEqual(expected);
    const costs = await database.run(
      sql`select pod, cost::float as cost from jobledger.attempts order by pod`,
    );
    expect(costs).toEqual([
      { pod: 'on-demand', cost: 2 },
      { pod: 'spot', cost: 0.5 },
    ]);
  });

  it('is counted again when the node is recorded after the hours were counted', async () => {
    const isOfNode = ({ type }: LedgerEvent): boolean => type.startsWith('node.');
    await project(story().filter((event) => !isOfNode(event)));
    await countStaleUsage(database);
    expect(await usage()).toEqual([{ node_class: null, capacity_type: null, hours: 3, cost: 3 }]);
    await project(story().filter(isOfNode));
    expect(await usage()).toEqual(expected);
    await countStaleUsage(database);
    expect(await usage()).toEqual(expected);
    const rows = (): Promise<unknown[]> =>
      database.run(sql`select * from jobledger.ended_usage order by hour, node_class`);
    const counted = await rows();
    await database.run(
      sql`insert into jobledger.stale_usage select distinct ended_in from jobledger.ended_usage`,
    );
    await countStaleUsage(database);
    expect(await rows()).toEqual(counted);
  });
});

describe('the class of an attempt', () => {
  const classes = (): Promise<unknown[]> =>
    database.run(sql`select pod, node_class as class from jobledger.attempts order by pod`);

  it('is that of a change in the second in which the pod was bound', async () => {
    const changed = nodeObserved(100.4, { instanceType: 'm7' });
    await project([aJobOfPods(), nodeObserved(30), changed, podOf('bound', 100, 200)]);
    expect(await classes()).toEqual([{ pod: 'bound', class: 'm7' }]);
  });

  it('is that of a new node of the same name, although the deletion of the old one was noticed later', async () => {
    await project([
      aJobOfPods(),
      nodeObserved(30),
      nodeObserved(100, ON_DEMAND, 'uid-2'),
      nodeDeleted(150),
      podOf('first', 60, 90),
      podOf('second', 200, 300),
    ]);
    expect(await classes()).toEqual([
      { pod: 'first', class: 'm5.2xlarge' },
      { pod: 'second', class: 'c5.xlarge' },
    ]);
  });
});
