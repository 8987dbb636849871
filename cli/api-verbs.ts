import type { Command } from 'commander';

type Register = (program: Command) => void;

/** A verb in the list of all verbs. The verb's own file has the full description, the arguments and the options. */
export interface VerbEntry {
  readonly name: string;
  /** A line of `jobledger --help`. */
  readonly summary: string;
  readonly group: string;
  /** Loads the module of this verb only, because loading all verbs takes a third of a second. */
  readonly load: () => Promise<Register>;
}

/** A verb that only has subcommands, such as `jobledger admin verify`. */
export interface VerbOfVerbs extends Omit<VerbEntry, 'load'> {
  readonly verbs: readonly VerbEntry[];
}

export type ListedVerb = VerbEntry | VerbOfVerbs;

const [SHOW, CHANGE, SIGN_IN, THIS_COMMAND] = [
  'See what happened and why (through the API, or on the servers directly):',
  'Submit and control Jobs:',
  'Work with an API:',
  'This command line:',
] as const;

/** The verbs that work through an API alone. */
export const API_VERBS: readonly VerbEntry[] = [
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
    'show what another policy would have changed',
    async () => (await import('./verbs/what-if/what-if.ts')).registerWhatIf,
  ),
  verb(
    SHOW,
    'compare',
    'compare a Job with the previous run, or with another Job',
    async () => (await import('./verbs/compare/compare.ts')).registerCompare,
  ),
  verb(
    SHOW,
    'cron',
    'show the coming starts of a CronJob',
    async () => (await import('./verbs/cron.ts')).registerCron,
  ),
  verb(
    SHOW,
    'clusters',
    'list the clusters, their ingesters and gaps',
    async () => (await import('./verbs/clusters/clusters.ts')).registerClusters,
  ),
  verb(
    SHOW,
    'usage',
    'show what Jobs used in a period, and what it cost, by team or another property',
    async () => (await import('./verbs/usage/usage.ts')).registerUsage,
  ),
  verb(
    SHOW,
    'prices',
    'list the prices of resources, or apply a price list',
    async () => (await import('./verbs/prices/prices.ts')).registerPrices,
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
    'whoami',
    'show your name in the API, and what you may do',
    async () => (await import('./verbs/sign-in/whoami.ts')).registerWhoami,
  ),
  verb(
    THIS_COMMAND,
    'version',
    'print the versions of this program and of the API',
    async () => (await import('./verbs/version.ts')).registerVersion,
  ),
  verb(
    THIS_COMMAND,
    'completion',
    'print the completion script for a shell',
    async () => (await import('./verbs/completion/completion.ts')).registerCompletion,
  ),
];

/** An entry for a verb in the list of all verbs. */
export function verb(group: string, name: string, summary: string, load: VerbEntry['load']): VerbEntry {
  return { group, name, summary, load };
}
