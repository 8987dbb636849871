import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { ledgerEvents } from '../support/ledger-events.ts';
import { jobledger } from '../support/rebuild.ts';
import { ownNamespace } from '../support/shared-servers/own-namespace.ts';
import { steppedJobs } from '../support/stepped-job.ts';
import { verifyAll } from '../support/verify.ts';

// This is the drill of docs/backup-and-disaster.md: each store is lost, or restored from an old copy, while Jobs run.

let installation: Installation;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-disaster-'));
const steps = steppedJobs(() => installation.cluster);
const { create: aSteppedJob, proceed, secondPodRuns, endsWell } = steps;

beforeAll(async () => {
  installation = await install({ separate: true, ownServers: true });
  await installation.startServices();
}, 120_000);

afterAll(async () => {
  await installation?.stop();
  steps.remove();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

/** Finds the files of a server below the state directory. */
function findFiles(pattern: RegExp): string[] {
  const { stateDir } = installation;
  return readdirSync(stateDir, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
}

/** Copies the files of a server while nothing writes to them. */
async function copyServer(server: string, pattern: RegExp): Promise<() => Promise<void>> {
  const { servers, stateDir } = installation;
  const copy = mkdtempSync(join(scratch, 'copy-'));
  await servers.halt(server);
  for (const file of findFiles(pattern)) cpSync(join(stateDir, file), join(copy, file), { recursive: true });
  await servers.start(server);
  return async () => {
    await servers.halt(server);
    for (const file of findFiles(pattern)) rmSync(join(stateDir, file), { recursive: true, force: true });
    cpSync(copy, stateDir, { recursive: true });
    await servers.start(server);
  };
}

function readLog(service: string): string {
  return readFileSync(join(installation.stateDir, 'logs', `${service}.log`), 'utf8');
}

const OUT_OF_STEP = 'Temporal and the ledger are out of step';

describe('after the loss of Postgres', () => {
  it('the projector folds the tables again from the ledger while Jobs run', async () => {
    const { sql } = installation;
    await aSteppedJob('without-tables');
    await installation.haltServices(['projector']);
    await sql('drop schema jobledger cascade');
    proceed('without-tables', 0);
    await secondPodRuns('without-tables');
    await installation.startServices(['projector']);
    proceed('without-tables', 1);
    await endsWell('without-tables');
    const attempts = await eventually('the end is in SQL', 20, async () => {
      const [row] = await sql<{ kubectl_status: string; attempt_count: number }>(
        `select kubectl_status, attempt_count from jobledger.jobs where name = 'without-tables'`,
      );
      return row?.kubectl_status === 'Complete' ? row.attempt_count : undefined;
    });
    expect(attempts).toBe(2);
  }, 90_000);
});

describe('after the restore of Temporal from a copy that is older than the ledger', () => {
  it('the dispatcher reports the old copy, and a Job continues with the facts that the copy lacks', async () => {
    const { haltServices, startServices } = installation;
    await aSteppedJob('forgotten');
    await haltServices();
    const restore = await copyServer('temporal', /temporal[^/]*\.(db|sqlite)[^/]*$/);
    await startServices();
    proceed('forgotten', 0);
    await secondPodRuns('forgotten');
    await haltServices();
    expect(readLog('dispatcher')).not.toContain(OUT_OF_STEP);
    await restore();
    await startServices();
    await eventually('the dispatcher notices', 20, () =>
      Promise.resolve(readLog('dispatcher').includes(OUT_OF_STEP) || undefined),
    );
    proceed('forgotten', 1);
    await endsWell('forgotten');
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 90_000);
});

describe('after the loss of the live topic', () => {
  it('a Job continues in a cluster that was restored before, and verify finds no difference', async () => {
    const { haltServices, startServices, environment, cluster, sql } = installation;
    await cluster.createJob('in-copy', { parallelism: 0 }, {});
    const restore = copyOfEtcd(installation);
    await cluster.patchJob('in-copy', { spec: { activeDeadlineSeconds: 4321 } });
    await eventually('the change that the copy lacks is in SQL', 20, async () =>
      (await sql("select from jobledger.events where data::text like '%4321%'")).length > 0
        ? true
        : undefined,
    );
    await restore();
    await eventually('the first epoch is in SQL', 60, async () =>
      (await sql("select from jobledger.events where type = 'cluster.restored'")).length > 0
        ? true
        : undefined,
    );
    await aSteppedJob('relisted');
    await haltServices();
    const kafka = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
    const admin = kafka.kafka.admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [kafka.topics.live] });
    await admin.disconnect();
    proceed('relisted', 0);
    await startServices();
    await secondPodRuns('relisted');
    proceed('relisted', 1);
    await endsWell('relisted');
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 90_000);
});

describe('after the restore of Kafka from a copy', () => {
  it('a projector that has read further stops and explains why, Jobs continue, and verify misses only records that the copy lacks', async () => {
    const { haltServices, startServices, sql, environment, cluster } = installation;
    await aSteppedJob('rewound');
    await haltServices();
    const restore = await copyServer('kafka', /^kafka\/data$/);
    await startServices();
    proceed('rewound', 0);
    await secondPodRuns('rewound');
    await eventually('it is in SQL', 20, async () => {
      const [row] = await sql<{ succeeded: number }>(
        `select succeeded from jobledger.jobs where name = 'rewound'`,
      );
      return row?.succeeded === 1 ? true : undefined;
    });
    await haltServices();
    // The records are read from Kafka, because the tables may lack the last records.
    const before = await ledgerEvents(environment);
    await restore();
    const refused = await jobledger(environment, 'run', 'projector');
    expect(refused.exitCode).toBe(78);
    expect(refused.stderr).toMatch(
      /partition \d of the ledger jobledger\.ledger ends at offset \d+, but the projector has read up to \d+: the ledger has lost its last records/,
    );
    await sql('drop schema jobledger cascade');
    await startServices();
    proceed('rewound', 1);
    await endsWell('rewound');
    await cluster.createJob('afterwards', {}, {});
    await cluster.finished('afterwards', 40);
    await eventually('the tables have caught up', 20, async () => {
      const [row] = await sql<{ kubectl_status: string }>(
        `select kubectl_status from jobledger.jobs where name = 'afterwards'`,
      );
      return row?.kubectl_status === 'Complete' ? true : undefined;
    });
    // A run may decide once more before it is restarted. Its decision then names a lost decision.
    const recorded = new Set(before.map(({ id }) => id));
    const { findings } = (await verifyAll(installation)) as {
      findings: { event: string; message: string }[];
    };
    expect(
      findings.filter(({ event, message }) => !(recorded.has(event) && message.startsWith('missing: '))),
    ).toEqual([]);
  }, 120_000);
});

// This test is the last, because the installation has another ledger afterwards.
describe('after the loss of Kafka without a copy', () => {
  it('the projector refuses the tables of the old ledger, and an open Job continues from its status in the cluster', async () => {
    const { haltServices, sql, environment, servers, services, stateDir } = installation;
    await aSteppedJob('orphaned');
    proceed('orphaned', 0);
    await secondPodRuns('orphaned');
    await haltServices();
    await servers.halt('kafka');
    for (const file of findFiles(/^kafka\/(data|cluster-id)$/))
      rmSync(join(stateDir, file), { recursive: true, force: true });
    await servers.start('kafka');
    const refused = await jobledger(environment, 'run', 'projector');
    expect(refused).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/the tables were made from the ledger \S+ in the Kafka cluster/),
    });
    await sql('drop schema jobledger cascade');

    const { addresses } = await ownNamespace(servers.addresses);
    const anew = { ...environment, TEMPORAL_NAMESPACE: addresses.temporalNamespace };
    const kubeconfigs = addresses.serviceKubeconfigs;
    const children = serviceChildren(anew, { metrics: installation.metrics, kubeconfigs });
    await Promise.all(children.filter(({ name }) => name !== 'api').map((child) => services.start(child)));
    proceed('orphaned', 1);
    await endsWell('orphaned');
    await eventually('the end is in SQL', 20, async () => {
      const [row] = await sql<{ kubectl_status: string }>(
        `select kubectl_status from jobledger.jobs where name = 'orphaned'`,
      );
      return row?.kubectl_status === 'Complete' ? true : undefined;
    });
    expect((await verifyAll({ environment: anew, stateDir })).findings).toEqual([]);
  }, 120_000);
});
