/**
 * The versions that have landed and may have users' data. Each has a baseline in test/baseline (`npm run record-baseline`),
 * and its services run from its own source tree in the test of upgrades.
 */
export const LANDED_VERSIONS: readonly {
  commit: string;
  core: string;
  /** Of its own new installations. */
  featureLevel: number;
  lastMigration: string;
}[] = [
  { commit: '169324a', core: '1', featureLevel: 1, lastMigration: '0005-as-of.sql' },
  { commit: 'c9d9946', core: '2', featureLevel: 1, lastMigration: '0008-comments.sql' },
  { commit: 'd0ad0d9', core: '2', featureLevel: 1, lastMigration: '0009-job-lists.sql' },
  { commit: '8774d31', core: '3', featureLevel: 2, lastMigration: '0011-ended-jobs.sql' },
  { commit: 'a56e777', core: '3', featureLevel: 2, lastMigration: '0011-ended-jobs.sql' },
  { commit: 'bba8825', core: '3', featureLevel: 3, lastMigration: '0011-ended-jobs.sql' },
  { commit: 'af47944', core: '3', featureLevel: 3, lastMigration: '0012-cron-jobs.sql' },
  { commit: 'f4f56bf', core: '4', featureLevel: 3, lastMigration: '0012-cron-jobs.sql' },
  { commit: '4769d82', core: '4', featureLevel: 3, lastMigration: '0013-sink-positions.sql' },
  { commit: 'f0a5a66', core: '5', featureLevel: 4, lastMigration: '0016-chains.sql' },
  { commit: 'fe803bf', core: '5', featureLevel: 4, lastMigration: '0016-chains.sql' },
  { commit: '06844d0', core: '5', featureLevel: 4, lastMigration: '0016-chains.sql' },
  { commit: '09f3de0', core: '6', featureLevel: 5, lastMigration: '0018-unknown-starts.sql' },
  { commit: '2f15830', core: '6', featureLevel: 6, lastMigration: '0020-gap-namespaces.sql' },
  { commit: '205c102', core: '7', featureLevel: 8, lastMigration: '0021-cluster-apis.sql' },
  { commit: '0e1a74f', core: '7', featureLevel: 9, lastMigration: '0021-cluster-apis.sql' },
  { commit: 'de67099', core: '7', featureLevel: 10, lastMigration: '0024-kafka-cluster.sql' },
  { commit: '573f6bf', core: '7', featureLevel: 11, lastMigration: '0026-job-counts.sql' },
  { commit: '783e220', core: '8', featureLevel: 11, lastMigration: '0028-members-counted.sql' },
];

/** Those whose services are upgraded with open Jobs by each test run; `JOBLEDGER_TEST_UPGRADE_FROM=all` runs every one. */
export const UPGRADED_FROM =
  process.env['JOBLEDGER_TEST_UPGRADE_FROM'] === 'all'
    ? LANDED_VERSIONS
    : [...LANDED_VERSIONS.slice(0, 1), ...LANDED_VERSIONS.slice(-1)];
