import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approvalEvent } from '../../cli/verbs/approve/approval.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { AnyDecided } from '../../workflows/kind.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';
import { aWithheldCronJob, aWithheldJob, aWithheldPlacedJob, BROKEN } from '../support/withheld-streams.ts';

describe('the verb jobledger admin approve (J-18.2)', () => {
  let ledger: ALedger;
  beforeAll(async () => {
    ledger = await startLedger();
    const events = [...aWithheldJob(), ...aWithheldCronJob(), ...aWithheldPlacedJob()];
    await ledger.append(events.map((event) => encodeEvent(event)));
    await ledger.start('projector');
    await ledger.applied();
  }, 120_000);
  afterAll(() => ledger?.stop());

  it.each([
    ['a Job', ['pi', '--uid', 'job-1']],
    ['a placed Job', ['pi', '--uid', 'home-uid']],
    ['a CronJob', ['cronjob/tick']],
  ])(
    'records the approval of a decision about %s, and the history shows it',
    async (_kind, job) => {
      const approve = ['admin', 'approve', ...job, '--by', 'ann'];
      const unseen = await jobledger(ledger.environment, ...approve);
      expect([unseen.exitCode, unseen.stdout]).toEqual([2, '']);
      const seen = /--decision: decision 2, (\S+), is withheld/.exec(unseen.stderr)?.[1] ?? '';
      const args = [...approve, '--decision', seen];
      const { exitCode, stdout, stderr } = await jobledger(ledger.environment, ...args);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toContain('decision 2 approved by ann, although 2 pods would be created');
      await ledger.applied();
      const history = await jobledger(ledger.environment, 'history', ...job);
      expect(history.stdout).toContain('approve, asked for by ann, although 2 pods would be created');
    },
    60_000,
  );

  it('leaves live tables that equal rebuilt tables', async () => {
    expect(listDifferences(await rebuildTables(ledger.environment))).toEqual([]);
  }, 60_000);
});

describe('an approval of a decision that is no longer withheld (J-18.2)', () => {
  const clusters = [
    { name: 'local', node: false, builtInJobController: false, builtInCronJobController: false },
  ];
  const { installation, cluster, play } = onPlayedCluster(
    { JOBLEDGER_CONTROLLERS: 'job,cronjob' },
    { claim: 'all', clusters },
  );
  const cronJobs = connectCronJobs(installation);

  type Decided = Pick<AnyDecided, 'id' | 'type' | 'subject' | 'data'>;

  const decisionsIn = (table: 'events' | 'cron_job_events', uid: string): Promise<Decided[]> =>
    installation().sql<Decided>(
      `select id, type, subject, data from jobledger.${table}
       where type in ('job.decided', 'cronjob.decided') and data @> $1 order by (data ->> 'number')::int`,
      [JSON.stringify(table === 'events' ? { jobUid: uid } : { cronJobUid: uid })],
    );

  async function appended(event: LedgerEvent): Promise<void> {
    const environment = readConfig(kafkaEnvironment, installation().environment);
    const appender = await createAppender(connectKafka(environment, silentLog()));
    await appender.append([event]);
    await appender.close();
  }

  /** Resolves with the decision that ends the approval. */
  async function ended(table: 'events' | 'cron_job_events', uid: string): Promise<Decided> {
    const decided = await eventually('there is a decision', 30, async () =>
      (await decisionsIn(table, uid)).at(-1),
    );
    const approval = approvalEvent({ decided: decided as AnyDecided, broken: BROKEN }, 'ann');
    await appended(approval);
    return eventually('a decision names the approval', 30, async () =>
      (await decisionsIn(table, uid)).find(({ data }) => data.folded.some(({ id }) => id === approval.id)),
    );
  }

  it('is ended by the next decision about the Job, and the verb then refuses another approval', async () => {
    const { created } = await play('held', { suspend: true });
    const { data } = await ended('events', created.metadata.uid);
    expect(data).toMatchObject({ commands: [] });
    expect(data).not.toHaveProperty('broken');
    expect(await cluster().listPods('held')).toEqual([]);
    const refused = await jobledger(installation().environment, 'admin', 'approve', 'held');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('is not withheld')]);
  }, 120_000);

  it('is ended by the next decision about the CronJob', async () => {
    const rest = await cronJobs.create('rest', { suspend: true }, ['true']);
    await cronJobs.waits(rest, 'J-9.32');
    const { data } = await ended('cron_job_events', rest.metadata.uid);
    expect(data).toMatchObject({ commands: [], waiting: { rule: 'J-9.32' } });
    expect(await cronJobs.listJobs(rest)).toEqual([]);
  }, 120_000);
});
