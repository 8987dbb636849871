import type { Command } from 'commander';
import type { ServiceVerb } from './verbs/service.ts';

type Register = (program: Command) => void;

/** A verb in the list of all verbs. Its own file has the full description, the arguments and the options. */
export interface VerbEntry {
  readonly name: string;
  /** A line of `jobledger --help`. */
  readonly summary: string;
  readonly group: string;
  /** Loads the verb: starting all of them for one would cost every command a third of a second. */
  readonly load: () => Promise<Register>;
}

const [RUN, SHOW, CHANGE, SIGN_IN, OPERATE, SERVICE] = [
  'Run Jobledger here:',
  'See what happened and why (through the API, or on the servers directly):',
  'Submit and control Jobs:',
  'Work with an API:',
  'Operate an installation (on the servers directly):',
  'Run one service, in production:',
] as const;

/** Every verb, in the order of `jobledger --help`. */
export const VERBS: readonly VerbEntry[] = [
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
  verb(
    SHOW,
    'get',
    'list Jobs or CronJobs, or show one',
    async () => (await import('./verbs/get/get.ts')).registerGet,
  ),
  verb(
    SHOW,
    'describe',
    'show a Job or CronJob with its pods or starts, and the reasons',
    async () => (await import('./verbs/describe/describe.ts')).registerDescribe,
  ),
  verb(
    SHOW,
    'logs',
    'print the logs of the latest attempt of a Job, with kubectl',
    async () => (await import('./verbs/logs/logs.ts')).registerLogs,
  ),
  verb(
    SHOW,
    'history',
    'show the history of a Job or CronJob, with its decisions',
    async () => (await import('./verbs/history/history.ts')).registerHistory,
  ),
  verb(
    SHOW,
    'why',
    'explain a pod, a Job or a start: its chain of causes',
    async () => (await import('./verbs/why/why.ts')).registerWhy,
  ),
  verb(
    SHOW,
    'replay',
    'show a Job or CronJob as of any instant or event',
    async () => (await import('./verbs/replay/replay.ts')).registerReplay,
  ),
  verb(
    SHOW,
    'what-if',
    'apply another policy to the recorded facts',
    async () => (await import('./verbs/what-if/what-if.ts')).registerWhatIf,
  ),
  verb(
    SHOW,
    'compare',
    'compare a run with the one before it, or with another Job',
    async () => (await import('./verbs/compare/compare.ts')).registerCompare,
  ),
  verb(
    SHOW,
    'cron',
    'show the coming starts of a CronJob',
    async () => (await import('./verbs/cron.ts')).registerCron,
  ),
  verb(
    CHANGE,
    'submit',
    'create the Jobs of a manifest',
    async () => (await import('./verbs/submit/submit.ts')).registerSubmit,
  ),
  verb(
    CHANGE,
    'retry',
    'create a Job that does the work of an ended one again',
    async () => (await import('./verbs/submit/retry.ts')).registerRetry,
  ),
  verb(
    CHANGE,
    'wait',
    'wait until a Job has ended',
    async () => (await import('./verbs/wait/wait.ts')).registerWait,
  ),
  verb(
    CHANGE,
    'suspend',
    'stop the pods of Jobs until they are resumed',
    async () => (await import('./verbs/request/request.ts')).registerSuspend,
  ),
  verb(
    CHANGE,
    'resume',
    'let suspended Jobs run again',
    async () => (await import('./verbs/request/request.ts')).registerResume,
  ),
  verb(
    SIGN_IN,
    'login',
    'try a token with an API, and store both as a context',
    async () => (await import('./verbs/sign-in/login.ts')).registerLogin,
  ),
  verb(
    SIGN_IN,
    'contexts',
    'list the contexts',
    async () => (await import('./verbs/sign-in/contexts.ts')).registerContexts,
  ),
  verb(
    SIGN_IN,
    'use',
    'make another context the current one',
    async () => (await import('./verbs/sign-in/contexts.ts')).registerUse,
  ),
  verb(
    SIGN_IN,
    'logout',
    'forget a context',
    async () => (await import('./verbs/sign-in/contexts.ts')).registerLogout,
  ),
  verb(
    SIGN_IN,
    'completion',
    'print the completion for a shell',
    async () => (await import('./verbs/completion/completion.ts')).registerCompletion,
  ),
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
    'clusters',
    'list the clusters, their ingesters and gaps',
    async () => (await import('./verbs/clusters.ts')).registerClusters,
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

function service(name: ServiceVerb, summary: string): VerbEntry {
  return verb(SERVICE, name, summary, async () => (await import('./verbs/service.ts')).registerService(name));
}

function verb(group: string, name: string, summary: string, load: VerbEntry['load']): VerbEntry {
  return { group, name, summary, load };
}
