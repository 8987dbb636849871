import { describe, expect, it } from '@jest/globals';
import { FIRST_RELEASE } from '../../services/installation/stamp.ts';
import { NEEDED_MIGRATION } from '../../services/read-model/state/schema.ts';
import {
  indexBuiltBy,
  isInOneTransaction,
  MIGRATIONS_FOLDER,
  readMigrations,
  splitStatements,
} from '../../services/projector/migrations.ts';

/** The digests of released migrations. Their texts never change, as they made users' schemas. */
const RELEASED: Readonly<Record<string, string>> = {};

describe('the migrations of the schema', () => {
  it('have the same texts as when they were released', async () => {
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const digests = Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]));
    expect(digests).toMatchObject(RELEASED);
    // The first release is the first that must be listed.
    if (FIRST_RELEASE !== null) expect(Object.keys(RELEASED)).toContain('0001-schema.sql');
  });

  it('end with the migration that every service requires', async () => {
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    expect(NEEDED_MIGRATION).toBe(migrations.at(-1)?.name);
  });
});

describe('a migration with the comment "no transaction"', () => {
  const text = `-- no transaction
-- Why; because.
create index concurrently if not exists a_by_b on a (b)
  where c = ';';
comment on index a_by_b is 'x; y';
`;

  it('is split into separate statements', () => {
    expect(isInOneTransaction({ text })).toBe(false);
    expect(isInOneTransaction({ text: `\n${text}` })).toBe(true);
    expect(splitStatements(text)).toEqual([
      "create index concurrently if not exists a_by_b on a (b)\n  where c = ';'",
      "comment on index a_by_b is 'x; y'",
    ]);
  });

  it('gives the index that each of its statements builds concurrently', () => {
    expect(splitStatements(text).map(indexBuiltBy)).toEqual(['a_by_b', null]);
    expect(indexBuiltBy('create unique index concurrently if not exists u on a (b)')).toBe('u');
    expect(indexBuiltBy('create index if not exists u on a (b)')).toBeNull();
  });
});
