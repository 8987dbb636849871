import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';
import { followWatches } from '../../services/live-topic/watches.ts';
import { eventually } from '../support/eventually.ts';
import { samplesAt, findSamples } from '../support/metrics.ts';
import { jobledger } from '../support/rebuild.ts';
import { startStandInClusters, type StandInClusters } from '../support/stand-in-clusters.ts';

// The first ingester serves a and b, and the second serves b and c. Watches receive a bookmark each second.
interface Row {
  name: string;
  leader: string | null;
  leading_since: string | null;
  shards: { shard: number; leader: string | null; version: string | null }[];
  recorded_fields: string[] | null;
  jobs_received_at: string | null;
  pods_received_at: string | null;
}

let ledger: ALedger;
let clusters: StandInClusters;
let metrics: Record<'first' | 'second', string>;

beforeAll(async () => {
  [ledger, clusters] = [await startLedger(), await startStandInClusters(1000)];
  const at = (name: string): string => join(ledger.stateDir, name);
  writeFileSync(at('kubeconfig'), clusters.kubeconfig(['a', 'b', 'c']));
  const port = await reservePorts(at('ports.json'), ['first', 'second']);
  metrics = { first: `${LOOPBACK}:${port('first')}`, second: `${LOOPBACK}:${port('second')}` };
  await ledger.start('projector');
  await startIngester('first', 'a,b');
  await startIngester('second', 'b,c');
}, 120_000);

afterAll(async () => {
  await ledger?.stop();
  await clusters?.stop();
}, 60_000);

async function startIngester(name: 'first' | 'second', contexts: string): Promise<void> {
  const environment = {
    ...process.env,
    ...ledger.environment,
    JOBLEDGER_KUBECONFIG: join(ledger.stateDir, 'kubeconfig'),
    JOBLEDGER_CONTEXTS: contexts,
    ...(name === 'first' && { JOBLEDGER_RECORD_FIELDS: 'pod.spec.containers.command' }),
  };
  const [spec] = serviceChildren(environment, { metrics: { ingester: metrics[name] } });
  if (spec?.name !== 'ingester') throw new Error('the ingester is the first service');
  await ledger.services.start({ ...spec, name });
}

async function rows(): Promise<Record<string, Row>> {
  const { stdout, stderr } = await jobledger(ledger.environment, 'clusters', '-o', 'json');
  expect(stderr).toBe('');
  return Object.fromEntries((JSON.parse(stdout) as Row[]).map((row) => [row.name, row]));
}

function pidIn(row: Row | undefined): number {
  return Number(row?.leader?.split('_').at(-2));
}

describe('two ingesters that serve different clusters', () => {
  it('are shown by the verb clusters as the leaders of their clusters, with the time when a watch last received an event', async () => {
    const found = await eventually('all are connected', 60, async () => {
      const now = await rows();
      const received = Object.values(now).filter(
        (row) => row.jobs_received_at !== null && row.pods_received_at !== null,
      );
      return received.length === 3 ? now : undefined;
    });
    const [first, second] = [ledger.services.pid('first'), ledger.services.pid('second')];
    expect([pidIn(found['a']), pidIn(found['c'])]).toEqual([first, second]);
    expect([first, second]).toContain(pidIn(found['b']));
    const { leader } = found['a'] ?? {};
    expect(found['a']?.shards).toMatchObject([{ shard: 1, leader, version: VERSION }]);
    expect(found['a']?.recorded_fields).toEqual(['pod.spec.containers.command']);
    expect(found['c']?.recorded_fields).toEqual([]);
    const text = (await jobledger(ledger.environment, 'clusters')).stdout;
    expect(text).toMatch(/^NAME .* LEADER +INGESTER .* DEAD LETTERS\na /);
    expect(text).toMatch(/\nthe tables are \d+ records behind the ledger\n$/);
    const before = found['a']?.jobs_received_at ?? '';
    await eventually('a bookmark has come since', 30, async () => {
      const after = (await rows())['a']?.jobs_received_at ?? '';
      return after > before ? true : undefined;
    });
  }, 120_000);

  it('show in their metrics which clusters they lead, and when a watch last received an event', async () => {
    const samples = await samplesAt(metrics.first);
    expect(findSamples(samples, 'jobledger_cluster_leading{')).toMatchObject({
      'cluster="a"}': 1,
    });
    const received = findSamples(samples, 'jobledger_watch_last_received_timestamp_seconds{cluster="a"');
    expect(Object.keys(received)).toHaveLength(2);
    for (const time of Object.values(received)) expect(Math.abs(Date.now() / 1000 - time)).toBeLessThan(60);
    const second = findSamples(await samplesAt(metrics.second), 'jobledger_cluster_leading{');
    expect(Object.keys(second)).toEqual(['cluster="b"}', 'cluster="c"}']);
  });

  it('record when the watches of each cluster last received an event, so that a program can follow these times', async () => {
    const read = followWatches(ledger.kafka);
    const before = (await read()).get('c')?.podsReceivedAt ?? '';
    expect(before).toMatch(/Z$/);
    const after = await eventually('a bookmark has come since', 30, async () => {
      const now = (await read()).get('c');
      return (now?.podsReceivedAt ?? '') > before ? now : undefined;
    });
    expect(after.shards).toMatchObject([{ shard: 1, version: VERSION }]);
  }, 60_000);

  it('stand in for each other: after one has stopped, the other leads the cluster of both, and a cluster of the first alone has no leader', async () => {
    await ledger.services.halt('first');
    const found = await eventually('the second leads b', 30, async () => {
      const now = await rows();
      return pidIn(now['b']) === ledger.services.pid('second') && now['a']?.leader === null ? now : undefined;
    });
    expect(found['a']?.jobs_received_at).not.toBeNull();
    expect(found['a']).toMatchObject({ shards: [], recorded_fields: null });
  }, 60_000);
});
