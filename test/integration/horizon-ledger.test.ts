import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { recordHorizon } from '../../services/installation/horizon.ts';
import type { ClusterConnected } from '../../workflows/ledger/cluster-events.ts';
import { after, aJob, CLUSTER, jobObserved } from '../projector/builders.ts';
import { aStory } from '../projector/story.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';

/** `pi` was deleted at the end of its story; `slow` is open. */
const OPEN = jobObserved(0, aJob({ version: 2, metadata: { uid: 'open', name: 'slow' } }), 'open');
const HORIZON = after(93);
/** The story is without its repeats, because these have later times. */
const STORY = aStory().filter(({ id }, at, all) => all.findIndex((each) => each.id === id) === at);

const CONNECTED = withDigest<ClusterConnected>({
  id: `${CLUSTER}/connected`,
  type: 'cluster.connected',
  source: CLUSTER,
  subject: CLUSTER,
  time: after(0),
  data: { cluster: CLUSTER, uid: 'uid-of-east', version: 'v1.36.3' },
});

let ledger: ALedger;
let archive: string;

beforeAll(async () => {
  ledger = await startLedger();
  archive = join(ledger.stateDir, 'archive.ndjson.gz');
  const slow = { ...OPEN, subject: 'default/slow' };
  const events = [CONNECTED, slow, ...STORY];
  await ledger.append(events.map((event) => encodeEvent(event)));
  await ledger.start('projector');
  await ledger.applied();
}, 120_000);
afterAll(() => ledger?.stop(), 60_000);

async function jobs(): Promise<string[]> {
  const { rows } = await ledger.client.query<{ name: string }>(
    'select name from jobledger.jobs order by name',
  );
  return rows.map(({ name }) => name);
}

describe('the retention of old Jobs', () => {
  it('allows the ended Jobs to be exported to an archive first, and the archive to be checked against the ledger', async () => {
    const exported = await jobledger(
      ledger.environment,
      'admin',
      'export',
      '--ended-before',
      HORIZON,
      '--manifest',
      '-o',
      archive,
    );
    expect(exported).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('of 1 Job and 1 cluster'),
    });
    expect(JSON.parse(readFileSync(`${archive}.manifest.json`, 'utf8'))).toMatchObject({
      jobs: 1,
      endedBefore: HORIZON,
    });
    const checked = await jobledger(ledger.environment, 'admin', 'import', '--check', archive);
    expect(checked).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^0 events missing, \d\d already present/),
    });
  }, 60_000);

  it('removes the Jobs that ended before the horizon from the tables, and leaves open Jobs there', async () => {
    const young = new Date().toISOString();
    expect(await jobledger(ledger.environment, 'admin', 'retention', '--ended-before', young)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('at least an hour ago'),
    });
    expect(await jobs()).toEqual(['pi', 'slow']);
    const set = await jobledger(ledger.environment, 'admin', 'retention', '--ended-before', HORIZON);
    expect(set).toEqual({ exitCode: 0, stdout: `removed 1 Job; the horizon is ${HORIZON}\n`, stderr: '' });
    expect(await jobs()).toEqual(['slow']);
  }, 60_000);
});

describe('a Job that ended before the horizon', () => {
  it('is not restored by a rebuild, which reports no difference', async () => {
    const checked = await rebuildTables(ledger.environment, '--check');
    expect({ exitCode: checked.exitCode, differences: listDifferences(checked) }).toEqual({
      exitCode: 0,
      differences: [],
    });
  }, 60_000);

  it('is not reported as never seen: the verb get names the horizon', async () => {
    const get = await jobledger(ledger.environment, 'get', 'pi');
    expect(get.stderr).toContain(
      `no Job named "pi" is known; Jobs that ended before ${HORIZON} were removed from the tables, and are still in the ledger`,
    );
  }, 60_000);

  it('is removed again after the tables were lost and folded again, because the horizon is stored in Kafka', async () => {
    await ledger.services.halt('projector');
    await ledger.client.query('drop schema jobledger cascade');
    await ledger.start('projector');
    await ledger.applied();
    await eventually('the Job is removed', 20, async () =>
      (await jobs()).join() === 'slow' ? true : undefined,
    );
    const { rows } = await ledger.client.query('select jobledger.horizon() = $1 as is_kept', [HORIZON]);
    expect(rows).toEqual([{ is_kept: true }]);
  }, 60_000);

  it('is left out by an import', async () => {
    const topic = topicBeside(ledger.environment, 'restored');
    const config = { ...ledger.kafka.config, JOBLEDGER_LEDGER_TOPIC: topic };
    const restored = connectKafka(config, ledger.kafka.log);
    await recordHorizon(restored, HORIZON);
    const elsewhere = { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: topic };
    expect(await jobledger(elsewhere, 'admin', 'import', archive)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`left out 1 Job that ended before the horizon ${HORIZON}`),
    });
    const imported = [...(await readEnds(restored, topic)).values()];
    expect(imported).toHaveLength(1);
    rmSync(archive);
  }, 60_000);
});
