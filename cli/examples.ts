/** Examples for the help of each verb: a command, and a description of its effect. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [command: string, what: string])[]>> = {
  up: [
    ['jobledger up', 'everything, with a cluster of its own'],
    ['jobledger up --kubeconfig ~/.kube/config --kube-context east --kube-context west', 'for two clusters'],
    [
      'jobledger up --claim all --controllers job,cronjob,ttl',
      "in the place of the cluster's own controllers",
    ],
  ],
  servers: [
    ['jobledger admin servers --cluster', 'Kafka, Temporal, Postgres and a cluster, with their addresses'],
  ],
  open: [['jobledger open', 'the page of the installation that runs here']],
  get: [
    ['jobledger get', 'all Jobs, the newest first'],
    ['jobledger get --status Failed,Retrying -n team-a', 'what fails in a namespace'],
    [
      "jobledger get -l 'team in (a, b),!test' --sort-by=-finished --deleted",
      'by labels, those that ended last first',
    ],
    [
      'jobledger get -l team=a --status Failed --since 12h --group-by reason',
      "what last night's failures have in common",
    ],
    ['jobledger get pi nightly-1 -o wide', 'two Jobs'],
    ['jobledger get cronjobs', 'all CronJobs'],
  ],
  describe: [
    ['jobledger describe pi', 'a Job with its pods'],
    ['jobledger describe cronjob/nightly', 'a CronJob with its last starts'],
  ],
  logs: [
    ['jobledger logs pi', 'the latest attempt'],
    ['jobledger logs pi --index 3 --previous', 'the last failed attempt of index 3'],
    ['jobledger logs team-a/pi -f --tail 20 -c main', 'follow one container from its last lines'],
  ],
  history: [['jobledger history pi', 'what happened, in order']],
  why: [
    ['jobledger why pi', 'why a Job is as it is'],
    ['jobledger why pod/pi-x7k2p', 'why a pod was created, and why it ended'],
    ['jobledger why cronjob/nightly --start 2026-11-21T02:00:00Z', 'why it started, or did not'],
  ],
  replay: [['jobledger replay pi --at 2026-11-21T03:12:00Z', 'the Job as it was then']],
  'what-if': [
    ['jobledger what-if pi --set backoffLimit=3', 'how it would have ended'],
    ['jobledger what-if pi --without-cluster west', 'where a placed Job would have gone'],
  ],
  compare: [
    ['jobledger compare nightly-29', 'with the run of its CronJob before it'],
    ['jobledger compare pi pi-retry-1', 'two Jobs'],
  ],
  cron: [['jobledger cron next nightly --count 10', 'the next ten starts']],
  submit: [
    ['jobledger submit -f pi.yaml --dry-run', 'let the cluster validate it'],
    ['jobledger submit -f jobs/ -n team-a -o name', 'every manifest of a directory'],
  ],
  retry: [
    ['jobledger retry pi', 'the same work again, as a new Job'],
    ['jobledger retry shards --failed-indexes', 'only the indexes that have not succeeded'],
  ],
  wait: [
    ['jobledger wait pi --timeout 10m', 'until it is complete'],
    ['jobledger wait pi tau --for ended', 'until both have ended either way'],
  ],
  suspend: [['jobledger suspend team-a/pi team-a/tau', 'stop their pods']],
  resume: [['jobledger resume team-a/pi', 'let it run again']],
  login: [['jobledger login https://jobledger.example.com --name prod', 'asks for the token']],
  contexts: [['jobledger contexts', 'all contexts; * marks the current one']],
  use: [['jobledger use prod', 'the API of this context from now on']],
  logout: [['jobledger logout prod', 'forget the context and its token']],
  whoami: [['jobledger whoami', 'the name, groups and scopes of your token, and what is recorded of Jobs']],
  version: [['jobledger version', 'of this program, and of the API']],
  completion: [['source <(jobledger completion bash)', 'in this shell']],
  verify: [
    ['jobledger admin verify --all', 'every recorded decision'],
    ['jobledger admin verify --placements', 'whether placed Jobs ran in one cluster at a time'],
  ],
  checkpoint: [['jobledger admin checkpoint --key-file key.pem', 'sign what is in the ledger now']],
  export: [['jobledger admin export --output pi.ndjson pi', 'the history of one Job']],
  import: [['jobledger admin import pi.ndjson', 'into this ledger']],
  check: [['jobledger admin check worker', 'whether a worker has what it needs']],
  migrate: [['jobledger admin migrate', 'to the schema of this version']],
  upgrade: [['jobledger admin upgrade --finalize', 'turn on what this version adds']],
  rebuild: [['jobledger admin rebuild --check', 'compare the tables with the ledger, and change nothing']],
  retention: [
    ['jobledger admin retention --before 2026-08', 'drop the events of the months before August'],
    [
      'jobledger admin retention --ended-before 2026-08-01T00:00:00Z',
      'remove Jobs that were deleted before August',
    ],
  ],
  'dead-letters': [
    [
      'jobledger admin dead-letters',
      'records that could not be used, and runs that cannot decide, with the reason',
    ],
  ],
  clusters: [
    ['jobledger clusters -o json', 'all that is known of each'],
    ['jobledger clusters drain west --wait', 'move the placed Jobs away, before an upgrade of west'],
    ['jobledger clusters cordon west', 'place no new Jobs in west'],
    ['jobledger clusters uncordon west', 'place Jobs in west again'],
    ['jobledger clusters found west', 'west was not lost: take that back'],
    ['jobledger clusters lost west --by anna', 'west burned down: start its placed Jobs elsewhere'],
  ],
  approve: [
    [
      'jobledger admin approve cronjob/nightly',
      'show what a withheld decision about a CronJob breaks, and its id',
    ],
    ['jobledger admin approve pi --decision ID --by alice', 'carry out that decision about a Job'],
  ],
  detach: [['jobledger admin detach --dry-run', 'show what leaving the cluster would do']],
  ingester: [['JOBLEDGER_CONTEXTS=east jobledger run ingester', 'for one cluster']],
  dispatcher: [['jobledger run dispatcher', 'with KAFKA_BROKERS and TEMPORAL_ADDRESS set']],
  worker: [['jobledger run worker', 'with KAFKA_BROKERS and TEMPORAL_ADDRESS set']],
  projector: [['jobledger run projector', 'with KAFKA_BROKERS and DATABASE_URL set']],
  api: [['jobledger run api', 'with KAFKA_BROKERS and DATABASE_URL set']],
};

/** The examples of a verb, for its help; with `nested`, only the examples of that subcommand. */
export function examplesText(verb: string, nested: string | null = null): string {
  const examples = (EXAMPLES[verb] ?? []).filter(
    ([command]) => nested === null || command.split(' ').includes(nested),
  );
  const lines = examples.map(([command, what]) => `  ${command}\n      ${what}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}
