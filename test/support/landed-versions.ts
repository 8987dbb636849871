/**
 * The versions that have landed and may have users' data. Each has a baseline in test/baseline (`npm run record-baseline`),
 * and its services run from its own source tree in the test of upgrades.
 */
export const LANDED_VERSIONS: readonly { commit: string; core: string; lastMigration: string }[] = [
  { commit: '169324a', core: '1', lastMigration: '0005-as-of.sql' },
  { commit: 'c9d9946', core: '2', lastMigration: '0008-comments.sql' },
];
