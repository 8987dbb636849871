import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { openSession, type Session } from '../../services/adapters/postgres/session.ts';
import { copyLineFormatter } from '../../services/projector/rebuild/copy-text.ts';
import { defineTable, type RowOf } from '../../services/read-model/tables/table.ts';
import * as column from '../../services/read-model/tables/table.ts';
import { startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

const TABLE = defineTable({
  name: 'samples',
  key: ['number'],
  columns: {
    number: column.integer,
    word: column.nullable(column.text),
    count: column.nullable(column.integer),
    large: column.nullable(column.bigint),
    version: column.nullable(column.numeric),
    flag: column.nullable(column.boolean),
    at: column.nullable(column.instant),
    data: column.jsonColumn(z.unknown()),
  },
});
type Row = RowOf<typeof TABLE>;

/** Postgres can store neither U+0000 nor lone surrogates. */
const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\u0000', ''));
const json = fc.jsonValue({ noUnicodeString: true, maxDepth: 3 }).map((value) => ({
  value: JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, '')) as unknown,
}));
const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { freq: 5 });

const sample: fc.Arbitrary<Omit<Row, 'number'>> = fc.record({
  word: orNull(word),
  count: orNull(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  large: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  version: orNull(fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String)),
  flag: orNull(fc.boolean()),
  at: orNull(
    fc
      .date({
        min: new Date('1970-01-01T00:00:00Z'),
        max: new Date('9999-12-31T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString()),
  ),
  data: orNull(json),
});

let postgres: RealPostgres;
let session: Session;

beforeAll(async () => {
  postgres = await startPostgres();
  session = await openSession({ DATABASE_URL: postgres.servers.addresses.databaseUrl ?? '' }, 'test');
  const defined = Object.entries(TABLE.columns).map(([name, { sql }]) => `${name} ${sql}`);
  await session.run({ text: `create temp table samples (${defined.join(', ')})`, values: [] });
}, 120_000);

afterAll(async () => {
  await session?.close();
  await postgres?.close();
}, 60_000);

async function copied(rows: readonly Row[]): Promise<Row[]> {
  await session.copy('copy samples from stdin', rows.map(copyLineFormatter(TABLE)).join(''));
  return session.run<Row>({
    text: 'with taken as (delete from samples returning *) select * from taken order by number',
    values: [],
  });
}

describe('rows in the text format of COPY', () => {
  it('are stored in Postgres unchanged, whatever the values are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { maxLength: 50 }), async (samples) => {
        const rows = samples.map((each, number) => ({ number, ...each }));
        expect(await copied(rows)).toEqual(rows);
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it.each(['\\', '\\N', '\\.', '\t', 'a\nb\r\nc', '', 'null'])('retain the text %j', async (text) => {
    const none = { count: null, large: null, version: null, flag: null, at: null };
    const rows = [{ number: 0, word: text, data: { text }, ...none }];
    expect(await copied(rows)).toEqual(rows);
  });

  it('retain the value of JSON text with line breaks between its members', async () => {
    const none = { word: null, count: null, large: null, version: null, flag: null, at: null };
    const [row] = await copied([{ number: 0, data: '{\n\t"a": "\\n"\r\n}', ...none }]);
    expect(row?.data).toEqual({ a: '\n' });
  });
});
