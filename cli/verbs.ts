import { API_VERBS, verb, type VerbEntry } from './api-verbs.ts';
import type { ServiceVerb } from './verbs/service.ts';

const [RUN, OPERATE, SERVICE] = [
  'Run Jobledger here:',
  'Operate an installation (on the servers directly):',
  'Run one service, in production:',
] as const;

const RUN_VERBS: readonly VerbEntry[] = [
  verb(
    RUN,
    'up',
    'run everything: the services, and an embedded server for each address that is not configured',
    async () => (await import('./verbs/up/up.ts')).registerUp,
  ),
  verb(
    RUN,
    'servers',
    'run only the embedded servers',
    async () => (await import('./verbs/servers.ts')).registerServers,
  ),
  verb(
    RUN,
    'open',
    'open the page in the browser',
    async () => (await import('./verbs/open.ts')).registerOpen,
  ),
];

const OPERATE_VERBS: readonly VerbEntry[] = [
  verb(
    OPERATE,
    'verify',
    'make recorded decisions again from the ledger alone, and compare',
    async () => (await import('./verbs/verify/verify.ts')).registerVerify,
  ),
  verb(
    OPERATE,
    'checkpoint',
    'sign the present contents of the ledger',
    async () => (await import('./verbs/checkpoint/checkpoint.ts')).registerCheckpoint,
  ),
  verb(
    OPERATE,
    'export',
    'export the history of Jobs and CronJobs',
    async () => (await import('./verbs/export/export.ts')).registerExport,
  ),
  verb(
    OPERATE,
    'import',
    'append an export to the ledger of another installation',
    async () => (await import('./verbs/import/import.ts')).registerImport,
  ),
  verb(
    OPERATE,
    'check',
    'check whether a service can start with this environment',
    async () => (await import('./verbs/check/check.ts')).registerCheck,
  ),
  verb(
    OPERATE,
    'migrate',
    'migrate the schema in Postgres',
    async () => (await import('./verbs/migrate.ts')).registerMigrate,
  ),
  verb(
    OPERATE,
    'upgrade',
    'show or raise the feature level',
    async () => (await import('./verbs/upgrade/upgrade.ts')).registerUpgrade,
  ),
  verb(
    OPERATE,
    'rebuild',
    'rebuild the tables from the ledger',
    async () => (await import('./verbs/rebuild/rebuild.ts')).registerRebuild,
  ),
  verb(
    OPERATE,
    'retention',
    'remove old events and Jobs from Postgres',
    async () => (await import('./verbs/retention.ts')).registerRetention,
  ),
  verb(
    OPERATE,
    'dead-letters',
    'list records that could not be used',
    async () => (await import('./verbs/dead-letters/dead-letters.ts')).registerDeadLetters,
  ),
  verb(
    OPERATE,
    'release',
    'leave a cluster: remove the finalizers of the pods of our Jobs',
    async () => (await import('./verbs/release/release.ts')).registerRelease,
  ),
  service('ingester', 'watch clusters and append to the ledger'),
  service('dispatcher', 'signal the workflows of Jobs about new facts'),
  service('worker', 'run the workflows of Jobs and their activities'),
  service('projector', 'project the ledger into the tables'),
  service('api', 'serve the HTTP API and the page'),
];

/** Every verb, in the order of `jobledger --help`. */
export const VERBS: readonly VerbEntry[] = [RUN_VERBS, API_VERBS, OPERATE_VERBS].flat();

function service(name: ServiceVerb, summary: string): VerbEntry {
  return verb(SERVICE, name, summary, async () => (await import('./verbs/service.ts')).registerService(name));
}
