import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { readKafkaCluster } from '../../services/installation/installation.ts';
import { readEvents } from '../../services/read-model/streams/stream.ts';
import { recall } from '../../services/worker/recall/recall.ts';
import { createStartReader } from '../../services/worker/recall/start-reader.ts';
import { createStreamReader } from '../../services/worker/recall/stream-reader.ts';
import { createLocate } from '../../services/worker/recall/tables.ts';
import type { ObjectRef } from '../../workflows/activities.ts';
import type { AnyState, KindName, StreamEvent } from '../../workflows/kind.ts';
import { ALL_KINDS, KINDS } from '../../workflows/kinds.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { aRecordedJob } from '../history/a-stream.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { CLUSTER } from '../support/builders.ts';
import { foreignRecords, createObservation } from '../support/poisoned-streams.ts';
import { jobledger, rebuildTables } from '../support/rebuild.ts';

const KIND_NAMES = ALL_KINDS.map(({ name }) => name);
const victimUid = (kind: KindName): string => `victim-${kind.toLowerCase()}`;
const OBSERVED = Object.fromEntries(
  KIND_NAMES.map((kind) => [kind, createObservation(kind, victimUid(kind))]),
);
/** Decisions were made about this Job. */
const DECIDED = aRecordedJob();
const DECIDED_UID = DECIDED.flatMap(({ data }) => ('jobUid' in data ? [data.jobUid] : []))[0] ?? '';

let ledger: ALedger;
let database: Database;

/** Each event of these objects is followed by records of every other kind. */
beforeAll(async () => {
  ledger = await startLedger();
  const streams = [
    ...KIND_NAMES.map((kind) => [kind, victimUid(kind), [OBSERVED[kind] as LedgerEvent]] as const),
    ['Job', DECIDED_UID, DECIDED] as const,
  ];
  const records = streams.flatMap(([kind, uid, events]) => {
    const foreign = foreignRecords(kind, uid);
    return events.flatMap((event) => [event, ...foreign]);
  });
  await ledger.append(records.map((event) => encodeEvent(event)));
  await ledger.start('projector');
  await ledger.applied();
  database = openDatabase(ledger.environment, silentLog(), { connections: 1 });
}, 120_000);

afterAll(async () => {
  await database?.close();
  await ledger?.stop();
}, 60_000);

async function recalled(kind: KindName, uid: string, withTables: boolean): Promise<AnyState> {
  const kafka = { ...ledger.kafka, log: silentLog() };
  const locate = withTables ? createLocate(database.run, kafka, await readKafkaCluster(ledger.kafka)) : null;
  const readStart = createStartReader(createStreamReader(kafka, { locate }));
  const job: ObjectRef = { cluster: CLUSTER, uid, namespace: 'default', name: 'victim', kind };
  return recall(
    { readStart: readStart, snapshots: { count: () => undefined } },
    job,
    new AbortController().signal,
  );
}

describe('a ledger in which objects have records of another kind under their keys', () => {
  it.each(KIND_NAMES)(
    'gives a workflow the same state of a %s as without these records',
    async (kind) => {
      const { core } = KINDS[kind];
      const fact = core.compact(OBSERVED[kind] as StreamEvent);
      const state = core.fold(core.INITIAL_STATE, fact === null ? [] : [fact]);
      for (const withTables of [true, false])
        expect(await recalled(kind, victimUid(kind), withTables)).toEqual(state);
    },
    60_000,
  );

  it('gives a workflow the same state of a Job with decisions as without these records', async () => {
    expect(await recalled('Job', DECIDED_UID, true)).toEqual(replay(DECIDED));
  }, 60_000);

  it('gives the same rows of Jobs and placed Jobs as without these records', async () => {
    const { rows } = await ledger.client.query<Record<string, unknown>>(
      `select uid, name, managed_by, (select count(*)::integer from jobledger.pods
         where pods.cluster = jobs.cluster and job_uid = jobs.uid) as pods
       from jobledger.jobs where uid = any($1) order by uid`,
      [[DECIDED_UID, victimUid('PlacedJob')]],
    );
    expect(rows).toEqual([
      { uid: DECIDED_UID, name: 'pi', managed_by: 'jobledger.dev/job-controller', pods: 1 },
      { uid: victimUid('PlacedJob'), name: 'victim', managed_by: 'jobledger.dev/placement', pods: 0 },
    ]);
    const dead = await ledger.client.query('select from jobledger.dead_letters');
    expect(dead.rowCount).toBe(0);
    const history = await Array.fromAsync(readEvents(database.run, { cluster: CLUSTER, uid: DECIDED_UID }));
    expect(history.map(({ id }) => id)).toEqual(DECIDED.map(({ id }) => id));
  }, 60_000);

  it('is verified without a finding, and rebuilt tables equal the live tables', async () => {
    const { stdout, exitCode } = await jobledger(
      ledger.environment,
      'admin',
      'verify',
      '--all',
      '-o',
      'json',
    );
    expect({ ...JSON.parse(stdout), exitCode }).toMatchObject({
      exitCode: 0,
      jobs: 1,
      cronJobs: 0,
      decisions: DECIDED.filter(({ type }) => type === 'job.decided').length,
      findings: [],
      placements: { jobs: 1, findings: [] },
    });
    expect(await rebuildTables(ledger.environment, '--check')).toMatchObject({ exitCode: 0 });
  }, 60_000);
});
