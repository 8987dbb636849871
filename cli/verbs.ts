import { API_VERBS, verb, type ListedVerb, type VerbEntry } from './api-verbs.ts';
import type { ServiceVerb } from './verbs/service.ts';

const [RUN, OPERATE] = ['Run Jobledger here:', 'Operate an installation:'] as const;
const DIRECTLY = 'Verbs that work on the servers directly:';

const RUN_VERBS: readonly VerbEntry[] = [
  verb(
    RUN,
    'up',
    'run everything: the services, and an embedded server for each address that is not configured',
    async () => (await import('./verbs/up/up.ts')).registerUp,
  ),
  verb(
    RUN,
    'open',
    'open the page in the browser',
    async () => (await import('./verbs/open.ts')).registerOpen,
  ),
];

/** These verbs always work on the servers, and never through an API. */
const ADMIN_VERBS: readonly VerbEntry[] = [
  verb(
    DIRECTLY,
    'verify',
    'repeat recorded decisions from the ledger alone, and compare the results',
    async () => (await import('./verbs/verify/verify.ts')).registerVerify,
  ),
  verb(
    DIRECTLY,
    'checkpoint',
    'sign the present contents of the ledger',
    async () => (await import('./verbs/checkpoint/checkpoint.ts')).registerCheckpoint,
  ),
  verb(
    DIRECTLY,
    'export',
    'export the history of Jobs and CronJobs',
    async () => (await import('./verbs/export/export.ts')).registerExport,
  ),
  verb(
    DIRECTLY,
    'import',
    'append an export to the ledger of another installation',
    async () => (await import('./verbs/import/import.ts')).registerImport,
  ),
  verb(
    DIRECTLY,
    'check',
    'check whether a service can start with this environment',
    async () => (await import('./verbs/check/check.ts')).registerCheck,
  ),
  verb(
    DIRECTLY,
    'migrate',
    'migrate the schema in Postgres',
    async () => (await import('./verbs/migrate.ts')).registerMigrate,
  ),
  verb(
    DIRECTLY,
    'upgrade',
    'show or raise the feature level',
    async () => (await import('./verbs/upgrade/upgrade.ts')).registerUpgrade,
  ),
  verb(
    DIRECTLY,
    'rebuild',
    'rebuild the tables from the ledger',
    async () => (await import('./verbs/rebuild/rebuild.ts')).registerRebuild,
  ),
  verb(
    DIRECTLY,
    'retention',
    'remove old events and Jobs from Postgres',
    async () => (await import('./verbs/retention.ts')).registerRetention,
  ),
  verb(
    DIRECTLY,
    'dead-letters',
    'list records that could not be used',
    async () => (await import('./verbs/dead-letters/dead-letters.ts')).registerDeadLetters,
  ),
  verb(
    DIRECTLY,
    'approve',
    'let a decision that breaks an invariant be carried out',
    async () => (await import('./verbs/approve/approve.ts')).registerApprove,
  ),
  verb(
    DIRECTLY,
    'detach',
    'remove the finalizers of Jobledger, so that it can leave a cluster',
    async () => (await import('./verbs/detach/detach.ts')).registerDetach,
  ),
  verb(
    DIRECTLY,
    'servers',
    'run only the embedded servers',
    async () => (await import('./verbs/servers.ts')).registerServers,
  ),
];

const SERVICE_VERBS: readonly VerbEntry[] = [
  service('ingester', 'watch clusters and append to the ledger'),
  service('dispatcher', 'signal the workflows of Jobs about new facts'),
  service('worker', 'run the workflows of Jobs and their activities'),
  service('projector', 'project the ledger into the tables'),
  service('api', 'serve the HTTP API and the page'),
];

const OPERATE_VERBS: readonly ListedVerb[] = [
  { group: OPERATE, name: 'run', summary: 'run one service, for production', verbs: SERVICE_VERBS },
  {
    group: OPERATE,
    name: 'admin',
    summary: 'work on the servers directly: verify, export, retention, upgrade, …',
    verbs: ADMIN_VERBS,
  },
];

/** Every verb, in the order of `jobledger --help`. */
export const VERBS: readonly ListedVerb[] = [RUN_VERBS, API_VERBS, OPERATE_VERBS].flat();

/** The entry for the verb that runs one service. */
function service(name: ServiceVerb, summary: string): VerbEntry {
  // Loads the function that registers the verb of the service.
  const load = async () => (await import('./verbs/service.ts')).registerService(name);
  return verb('Services:', name, summary, load);
}
