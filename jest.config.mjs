/** Tests with real servers. */
const SERVER_TESTS = [
  '<rootDir>/test/{integration,e2e,faults}/**/*.test.ts',
  '<rootDir>/test/cli/verbs.test.ts',
  '<rootDir>/test/versions/upgrades.test.ts',
];

/** Those of them that have limits in time or use most of the processor, so that no other file may run beside them. */
const ALONE = ['integration/(big-jobs|many-indexes|bench-controller)', 'faults/(attacks|kills)'].map(
  (files) => `/test/${files}\\.test\\.ts$`,
);

/** The tests of `npm run test:long`, each with the reason why a change need not wait for it. The others are those of `npm test`. */
const LONG = {
  'integration/(big-jobs|many-indexes)':
    'a Job of 2,000 pods and one of 1,000 indexes: they measure sizes and times, and the core takes such states in pure tests',
  'integration/(chart-install|release-parts)':
    'Helm installs what test/infra renders and packs; it changes with the chart and the images only',
  'integration/clients':
    'generators in Go and Python for the document that test/integration/api compares with the answers',
  'integration/(cron-schedules|cron-take-over)':
    'schedules of whole minutes; integration/cron-jobs catches up missed starts, and test/cron-job has every policy and limit',
  'integration/namespaces-change':
    'namespaces that leave an installation and return; test/ingester has the gaps and deletions of each, and integration/given-namespaces the rights',
  'integration/(moved-ledger|several-brokers)':
    'Kafka of an operator: a copy by MirrorMaker, and three brokers; integration/(append|kafka-clients|export-import) use the same adapter',
  'integration/page-layout':
    'widths, colours, accessibility and sizes; they change with page/ only, whose components test/page has, and integration/(page|page-tasks) use each view',
  'integration/shared-servers': 'what the tests on real servers share, which each of these tests uses',
  'e2e/examples/patterns':
    'the patterns of the documentation of Kubernetes; e2e/examples/jobs has its single Jobs, and integration/job-rules each rule that they use',
  'faults/disaster':
    'the loss of each store and topic, with and without a copy; faults/losses loses Temporal, integration/rebuild the tables, and test/dispatcher, test/projector and test/installation have each refusal',
  'faults/restores':
    'three ways to notice the restore of a cluster; faults/losses restores one, and test/ingester/epochs has each of them',
  'faults/several-of-each':
    'rolling restarts of two replicas on three clusters; faults/doubled kills one of two replicas, and faults/kills each service',
  'faults/shards':
    'ingesters of shards that are killed and restored; integration/ingester-shards takes over between shards, and test/ingester has the others',
  'faults/(placed-jobs|spread-jobs)':
    'clusters that are drained, dead or emptied, one after another; the placed rounds of npm test do the same to placed and spread Jobs',
  'integration/pandas':
    "pandas from Python's package index reads what test/adapters/parquet reads with DuckDB",
  'faults/placed-outages':
    'the outages of docs/placement.md at their real lengths, one after another; the placed rounds cut off, drain and kill the same clusters',
  'faults/placed-grants':
    'one story of each way in which a grant must not end; pure tests have each of them, and the placed rounds of npm test play the same faults',
  'versions/upgrades':
    'versions side by side under kills; test/versions/trees makes their source trees, and test/cores decides again with each core',
};
const OF_LONG = Object.keys(LONG).map((files) => `/test/${files}\\.test\\.ts$`);

/** The pure tests of `npm run test:long`: new pictures after each change of a comment in `page/`, and a compiler over a second source tree. */
const LONG_PURE =
  process.env.JOBLEDGER_TEST_EXTENT === 'whole'
    ? []
    : ['/test/page/pictures\\.test\\.ts$', '/test/versions/types-of-trees\\.test\\.ts$'];

/** Tests of one Kubernetes version only, named `*.kubernetes-1.36.test.ts`: they run when the variable chooses it. */
const { JOBLEDGER_LOCAL_KUBERNETES: version = '1.37' } = process.env;
const OF_OTHER_VERSIONS = `\\.kubernetes-(?!${version.replace('.', '\\.')}\\.)[\\d.]+\\.test\\.ts$`;

/** The tests with large programs of others run when `npm run test:integrations` asks for them. */
const LARGE =
  process.env.JOBLEDGER_TEST_INTEGRATIONS === undefined
    ? ['integration/(integrations|kueue)\\.test\\.ts$']
    : [];
const NEITHER = ['/node_modules/', OF_OTHER_VERSIONS, ...LARGE];

/** `npm test` runs the tests with real servers in two parts, `npm run test:long` the third; without the variable jest runs all of them. */
const PARTS = {
  alone: { testRegex: ALONE, testPathIgnorePatterns: [...NEITHER, ...OF_LONG] },
  'side-by-side': {
    testMatch: SERVER_TESTS,
    testPathIgnorePatterns: [...NEITHER, ...ALONE, ...OF_LONG],
  },
  long: { testRegex: OF_LONG, testPathIgnorePatterns: NEITHER },
};
const part = PARTS[process.env.JOBLEDGER_TEST_PART] ?? {
  testMatch: SERVER_TESTS,
  testPathIgnorePatterns: NEITHER,
};

const shared = {
  runtime: '<rootDir>/test/support/native/runtime.ts',
  testEnvironment: '<rootDir>/test/support/native/environment.ts',
  // The packages of clients and of the command line.
  modulePathIgnorePatterns: ['<rootDir>/build/'],
  // Of Jest's environment, and of the mutation run; tests are modules of Node (docs/decisions/0009-tests-as-modules-of-node.md).
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [
    'node_modules/(?!(@noble|@platformatic|commander|cookie|eventsource-parser|jose|scule)/)',
    '/build/',
  ],
};

export default {
  // A pure test may start the command line, which takes two seconds, and more beside other work.
  testTimeout: 20_000,
  testSequencer: '<rootDir>/test/support/longest-first.ts',
  projects: [
    {
      ...shared,
      displayName: 'pure',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '/test/(integration|e2e|faults)/',
        '/test/cli/verbs.test.ts',
        '/test/versions/upgrades.test.ts',
        ...LONG_PURE,
      ],
    },
    {
      ...shared,
      displayName: 'servers',
      testEnvironment: '<rootDir>/test/support/patient-environment.ts',
      ...part,
      globalSetup: '<rootDir>/test/support/shared-servers/set-up-run.ts',
      globalTeardown: '<rootDir>/test/support/shared-servers/tear-down-run.ts',
      setupFiles: ['<rootDir>/test/support/own-ports.ts'],
    },
  ],
};
