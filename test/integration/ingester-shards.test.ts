import { ledgerEvents } from '../support/ledger-events.ts';
import { installSharded, type ShardedIngesters } from '../support/sharded-ingesters.ts';
import { verifyAll } from '../support/verify.ts';

let sharded: ShardedIngesters;

beforeAll(async () => {
  sharded = await installSharded();
}, 180_000);

afterAll(() => sharded?.stop(), 60_000);

describe('a cluster that several ingesters divide among themselves', () => {
  it('has no gap when the ingesters of two shards wait for a single ingester and take over from it', async () => {
    await sharded.start(1);
    await (
      await sharded.wave()
    )();
    await sharded.start(2);
    await (
      await sharded.wave()
    )();
    // Two ingesters that record at the same time would append each observation twice.
    const observed = (await ledgerEvents(sharded.installation.environment)).filter(
      ({ type }) => type === 'pod.observed',
    );
    expect(observed.length).toBe(new Set(observed.map(({ id }) => id)).size);
    const third = await sharded.wave();
    await sharded.halt(1);
    await third();
    expect(await sharded.wrongVersions()).toEqual([]);
  }, 120_000);

  it('has only decisions that are the same when they are made again from the ledger', async () => {
    expect((await verifyAll(sharded.installation)).findings).toEqual([]);
  }, 60_000);
});
