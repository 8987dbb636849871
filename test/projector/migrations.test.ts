import { describe, expect, it } from '@jest/globals';
import { NEEDED_MIGRATION } from '../../services/read-model/schema.ts';
import {
  indexBuiltBy,
  isInOneTransaction,
  MIGRATIONS_FOLDER,
  readMigrations,
  statementsOf,
} from '../../services/projector/migrations.ts';

/** A released migration never changes, as it made users' schemas. Add a line for a new one. */
const LANDED = {
  '0001-ledger.sql': 'df6674aec29adfe9',
  '0002-present.sql': '076afde39c73db06',
  '0003-decisions.sql': 'fa7e5c5ff73b2999',
  '0004-views.sql': 'd5872eab08718346',
  '0005-as-of.sql': 'b714ea96f0677f8f',
  '0006-retention.sql': 'b5e62ba234d00a5c',
  '0007-dead-letters.sql': 'd99a0582a832ece1',
  '0008-comments.sql': '983194694223eb55',
  '0009-job-lists.sql': '8159ad8b7c193b33',
  '0010-horizon.sql': 'b49929b3ef55a6a0',
  '0011-ended-jobs.sql': '0d5fbd045ed1f53a',
  '0012-cron-jobs.sql': '347f8c0ab639f9f9',
  '0013-sink-positions.sql': 'fe5be3beb4a99ad3',
  '0014-job-owners.sql': '5c1e31e6d2b66e35',
  '0015-job-orders.sql': 'ced5048ec56826d8',
  '0016-chains.sql': 'ebfb7f63ab491770',
  '0017-epochs.sql': '5317d0bebea5a4aa',
  '0018-unknown-starts.sql': 'da6b66b0a912cb44',
  '0019-superseded.sql': '2acf905f47b41e34',
  '0020-gap-namespaces.sql': '705500ac1dddeb78',
  '0021-cluster-apis.sql': 'd7b2e2c0e2148340',
  '0022-job-situations.sql': '460ef42e4f50d683',
  '0023-job-state-lists.sql': '315b68195452cb17',
  '0024-kafka-cluster.sql': 'afebfc033148b42a',
  '0025-placements.sql': 'ecaef0198ae8766b',
  '0026-job-counts.sql': '817126285fd5edd8',
  '0027-members.sql': 'c4831dbde1170572',
  '0028-members-counted.sql': '80e447cde387eca8',
  '0029-spread.sql': 'ea299041d308f394',
};

/** Indexes, comments, a view that shows more, and corrected rows: queries work without them. */
const NOT_NEEDED = [
  '0009-job-lists.sql',
  '0011-ended-jobs.sql',
  '0015-job-orders.sql',
  '0017-epochs.sql',
  '0018-unknown-starts.sql',
  '0019-superseded.sql',
  '0023-job-state-lists.sql',
  '0026-job-counts.sql',
  '0028-members-counted.sql',
];

describe('the migrations', () => {
  it('have their released texts', async () => {
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    expect(Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]))).toEqual(LANDED);
  });

  it('end with the one that every service requires, but for those that only make queries faster or describe them', () => {
    const needed = Object.keys(LANDED).filter((name) => !NOT_NEEDED.includes(name));
    expect(NEEDED_MIGRATION).toBe(needed.toSorted().at(-1));
  });
});

describe('a migration that says "no transaction"', () => {
  const text = `-- no transaction
-- Why; because.
create index concurrently if not exists a_by_b on a (b)
  where c = ';';
comment on index a_by_b is 'x; y';
`;

  it('consists of its statements one by one', () => {
    expect(isInOneTransaction({ text })).toBe(false);
    expect(isInOneTransaction({ text: `\n${text}` })).toBe(true);
    expect(statementsOf(text)).toEqual([
      "create index concurrently if not exists a_by_b on a (b)\n  where c = ';'",
      "comment on index a_by_b is 'x; y'",
    ]);
  });

  it('names the index that a statement builds', () => {
    expect(statementsOf(text).map(indexBuiltBy)).toEqual(['a_by_b', null]);
    expect(indexBuiltBy('create unique index concurrently if not exists u on a (b)')).toBe('u');
    expect(indexBuiltBy('create index if not exists u on a (b)')).toBeNull();
  });
});
