/** Examples for the help of each verb: a command, and a description of its effect. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [command: string, what: string])[]>> = {
  up: [
    ['jobledger up', 'run everything, with an embedded cluster'],
    [
      'jobledger up --kubeconfig ~/.kube/config --kube-context east --kube-context west',
      'run everything for two clusters',
    ],
    [
      'jobledger up --claim all --controllers job,cronjob,ttl',
      "take the place of the cluster's own controllers",
    ],
  ],
  servers: [
    [
      'jobledger admin servers --cluster',
      'run Kafka, Temporal, Postgres and a cluster, and print their addresses',
    ],
  ],
  open: [['jobledger open', 'open the page of the installation on this machine']],
  get: [
    ['jobledger get', 'list all Jobs, the newest first'],
    ['jobledger get --status Failed,Retrying -n team-a', 'list the failed and retrying Jobs of a namespace'],
    [
      "jobledger get -l 'team in (a, b),!test' --sort-by=-finished --deleted",
      'select Jobs by labels, and sort them by their end, the latest first',
    ],
    [
      'jobledger get -l team=a --status Failed --since 12h --group-by reason',
      'count the recent failures by reason',
    ],
    ['jobledger get pi nightly-1 -o wide', 'show two Jobs'],
    ['jobledger get cronjobs', 'list all CronJobs'],
  ],
  describe: [
    ['jobledger describe pi', 'show a Job with its pods'],
    ['jobledger describe cronjob/nightly', 'show a CronJob with its last starts'],
  ],
  logs: [
    ['jobledger logs pi', 'print the logs of the latest attempt'],
    ['jobledger logs pi --index 3 --previous', 'print the logs of the last failed attempt of index 3'],
    [
      'jobledger logs team-a/pi -f --tail 20 -c main',
      'print the last 20 lines of one container, then each new line',
    ],
  ],
  history: [['jobledger history pi', 'show the events of a Job in order']],
  why: [
    ['jobledger why pi', 'explain the present state of a Job'],
    ['jobledger why pod/pi-x7k2p', 'explain why a pod was created, and why it ended'],
    [
      'jobledger why cronjob/nightly --start 2026-11-21T02:00:00Z',
      'explain why a CronJob started a Job at this time, or did not',
    ],
  ],
  replay: [['jobledger replay pi --at 2026-11-21T03:12:00Z', 'show the state of a Job at this instant']],
  'what-if': [
    ['jobledger what-if pi --set backoffLimit=3', 'show how a Job would have ended with this limit'],
    [
      'jobledger what-if pi --without-cluster west',
      'show where a placed Job would have gone without this cluster',
    ],
  ],
  compare: [
    ['jobledger compare nightly-29', "compare a Job with its CronJob's previous run"],
    ['jobledger compare pi pi-retry-1', 'compare two Jobs'],
  ],
  usage: [
    ['jobledger usage --by team --since 7d', 'show what each team used in the last week'],
    [
      'jobledger usage --by waste --since 2026-11-01T00:00:00Z --before 2026-12-01T00:00:00Z --team maths',
      'show why a team wasted time in November',
    ],
  ],
  cron: [['jobledger cron next nightly --count 10', 'show the next ten starts']],
  submit: [
    ['jobledger submit -f pi.yaml --dry-run', 'let the cluster validate the manifest, and create nothing'],
    [
      'jobledger submit -f jobs/ -n team-a -o name',
      'create the Jobs of every manifest in a directory, and print their names',
    ],
  ],
  retry: [
    ['jobledger retry pi', 'do the work of a Job again, in a new Job'],
    ['jobledger retry shards --failed-indexes', 'run only the indexes that have not succeeded'],
  ],
  wait: [
    ['jobledger wait pi --timeout 10m', 'wait until a Job is complete, for ten minutes at most'],
    ['jobledger wait pi tau --for ended', 'wait until two Jobs have ended, complete or failed'],
  ],
  suspend: [['jobledger suspend team-a/pi team-a/tau', 'stop the pods of two Jobs']],
  resume: [['jobledger resume team-a/pi', 'let a suspended Job run again']],
  login: [
    [
      'jobledger login https://jobledger.example.com --name prod',
      'ask for a token, and store it with the URL as the context prod',
    ],
  ],
  contexts: [['jobledger contexts', 'list all contexts; * marks the current one']],
  use: [['jobledger use prod', 'use the API of this context from now on']],
  logout: [['jobledger logout prod', 'forget the context and its token']],
  whoami: [
    ['jobledger whoami', 'show the name, groups and scopes of your token, and what is recorded of Jobs'],
  ],
  version: [['jobledger version', 'print the versions of this program and of the API']],
  completion: [['source <(jobledger completion bash)', 'turn on the completion in this shell']],
  verify: [
    ['jobledger admin verify --all', 'repeat every recorded decision, and compare the results'],
    ['jobledger admin verify --placements', 'prove that placed Jobs ran in one cluster at a time'],
  ],
  checkpoint: [['jobledger admin checkpoint --key-file key.pem', 'sign the present contents of the ledger']],
  export: [
    ['jobledger admin export --output pi.ndjson pi', 'export the history of one Job'],
    ['jobledger admin export --format parquet --out history', 'export the tables for DuckDB or pandas'],
  ],
  import: [['jobledger admin import pi.ndjson', 'append the export to this ledger']],
  check: [['jobledger admin check worker', 'check whether a worker can start with this environment']],
  migrate: [['jobledger admin migrate', 'migrate Postgres to the schema of this version']],
  upgrade: [['jobledger admin upgrade --finalize', 'turn on the features that this version adds']],
  rebuild: [['jobledger admin rebuild --check', 'compare the tables with the ledger, and change nothing']],
  retention: [
    ['jobledger admin retention --before 2026-08', 'drop the events of the months before August'],
    [
      'jobledger admin retention --ended-before 2026-08-01T00:00:00Z',
      'remove the Jobs that were deleted before August',
    ],
  ],
  'dead-letters': [
    [
      'jobledger admin dead-letters',
      'list records that could not be used, and runs that cannot decide, with the reasons',
    ],
  ],
  clusters: [
    ['jobledger clusters -o json', 'print everything known about each cluster as JSON'],
    [
      'jobledger clusters drain west --wait',
      'move all placed Jobs out of west, for example before its upgrade',
    ],
    ['jobledger clusters cordon west', 'place no new Jobs in west'],
    ['jobledger clusters uncordon west', 'place Jobs in west again'],
    ['jobledger clusters found west', 'take back that west is lost'],
    [
      'jobledger clusters lost west --by anna',
      'declare that west is lost, so that its placed Jobs start elsewhere',
    ],
  ],
  prices: [
    ['jobledger prices', 'list all prices'],
    ['jobledger prices apply prices.yaml --dry-run', 'show what a price list would change'],
    ['jobledger prices apply prices.yaml --by anna', 'apply a price list'],
  ],
  approve: [
    [
      'jobledger admin approve cronjob/nightly',
      'show the id of a withheld decision about a CronJob, and the invariants that it breaks',
    ],
    [
      'jobledger admin approve pi --decision ID --by alice',
      'let this withheld decision about a Job be carried out',
    ],
  ],
  detach: [['jobledger admin detach --dry-run', 'show what a detachment would change in the cluster']],
  ingester: [['JOBLEDGER_CONTEXTS=east jobledger run ingester', 'run the ingester of one cluster']],
  dispatcher: [
    ['jobledger run dispatcher', 'run the dispatcher; KAFKA_BROKERS and TEMPORAL_ADDRESS must be set'],
  ],
  worker: [['jobledger run worker', 'run a worker; KAFKA_BROKERS and TEMPORAL_ADDRESS must be set']],
  projector: [['jobledger run projector', 'run the projector; KAFKA_BROKERS and DATABASE_URL must be set']],
  api: [['jobledger run api', 'run the HTTP API; KAFKA_BROKERS and DATABASE_URL must be set']],
};

/** The examples of a verb, for its help; with `nested`, only the examples of that subcommand. */
export function examplesText(verb: string, nested: string | null = null): string {
  const examples = (EXAMPLES[verb] ?? []).filter(
    ([command]) => nested === null || command.split(' ').includes(nested),
  );
  const lines = examples.map(([command, what]) => `  ${command}\n      ${what}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}
