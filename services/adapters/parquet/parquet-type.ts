import type { SchemaElement } from 'hyparquet-writer';
import { JobledgerError } from '../errors.ts';

/** How the values of a column of Postgres are written to a Parquet file. */
export interface ParquetType {
  /** The type in the file, for documentation. */
  name: string;
  /** The type in the schema of the file. Every column may have nulls. */
  element: Omit<SchemaElement, 'name'>;
  /** The SQL expression for the text from which `fromText` makes the value. */
  select: (column: string) => string;
  /** The value for the writer. */
  fromText: (text: string) => boolean | number | bigint | string;
}

/** Decimal places of a number whose type in Postgres has no scale. Prices have at most twelve, Kubernetes' quantities nine. */
const PLACES = 12;
/** The digits of the largest decimal of Parquet's readers. */
const DIGITS = 38;

const INT32 = parquetType('INT32', { type: 'INT32' }, Number, asText);
/** Microseconds keep every instant and duration of Postgres. */
const MICROSECONDS = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;

/** The types of columns without parameters, by their name in Postgres. */
const TYPES: Readonly<Record<string, ParquetType>> = {
  text: parquetType('STRING', utf8({ type: 'STRING' }), String, (column) => column),
  boolean: parquetType('BOOLEAN', { type: 'BOOLEAN' }, (text) => text === 'true', asText),
  smallint: INT32,
  integer: INT32,
  bigint: parquetType('INT64', { type: 'INT64' }, BigInt, asText),
  jsonb: parquetType('JSON', utf8({ type: 'JSON' }), String, asText),
  'timestamp with time zone': parquetType(
    'TIMESTAMP(MICROS, UTC)',
    { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
    BigInt,
    MICROSECONDS,
  ),
  interval: parquetType('INT64, microseconds', { type: 'INT64' }, BigInt, MICROSECONDS),
};

/**
 * The type for a column, from its type in Postgres as `format_type` writes it. A number without a scale has twelve decimal places; a
 * version of an object, whose column has a name that ends with `version`, has none. @throws JobledgerError for an unknown type.
 */
export function parquetTypeFor(column: string, type: string): ParquetType {
  const known = TYPES[type];
  if (known !== undefined) return known;
  const [, isNumeric, scale] = /^(numeric)(?:\(\d+,(\d+)\))?$/.exec(type) ?? [];
  if (isNumeric !== undefined) return decimal(Number(scale ?? (column.endsWith('version') ? 0 : PLACES)));
  throw new JobledgerError(`the column ${column} has the type ${type}, which has no counterpart in Parquet`);
}

/** A decimal with this number of decimal places. */
function decimal(scale: number): ParquetType {
  return parquetType(
    `DECIMAL(${DIGITS}, ${scale})`,
    {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: 16,
      converted_type: 'DECIMAL',
      logical_type: { type: 'DECIMAL', precision: DIGITS, scale },
      precision: DIGITS,
      scale,
    },
    BigInt,
    // The writer takes the number without its point. A number with more digits, which a hostile pod may request, is null.
    (column) =>
      `case when abs(round(${column}, ${scale})) < 1e${DIGITS - scale} then (round(${column}, ${scale}) * 1e${scale})::numeric(${DIGITS}, 0)::text end`,
  );
}

function parquetType(
  name: string,
  element: ParquetType['element'],
  fromText: ParquetType['fromText'],
  select: ParquetType['select'],
): ParquetType {
  return { name, element: { ...element, repetition_type: 'OPTIONAL' }, fromText, select };
}

function utf8(logical: NonNullable<SchemaElement['logical_type']>): ParquetType['element'] {
  return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: logical };
}

function asText(column: string): string {
  return `${column}::text`;
}
