import { Option, type Command } from 'commander';
import { InputError } from '../../../../services/adapters/errors.ts';
import type { StateDirOption } from '../../../options.ts';
import { CLUSTERS, EXPORTED } from './exported-tables.ts';
import type { TablesOptions } from './export-tables.ts';

/** The options of `export` for tables. */
export interface TablesArguments {
  readonly format: 'ndjson' | 'parquet';
  readonly out?: string;
  readonly tables?: readonly string[];
  readonly month?: string;
}

/** Adds the options for tables. */
export function tablesOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--format <format>',
        'ndjson: the events of the ledger; parquet: the tables and views of SQL, in a directory',
      )
        .choices(['ndjson', 'parquet'])
        .default('ndjson'),
    )
    .option('--out <dir>', 'the directory of --format parquet, which may have an earlier export')
    .option('--tables <list>', 'export only these tables and views, such as jobs,pods', tableNames)
    .option('--month <month>', 'export only the rows of this month, such as 2026-11', pastMonth);
}

/** The options of `export` for history, which do not select rows of tables. */
const OF_HISTORY = ['namespace', 'uid', 'since', 'until', 'endedBefore', 'output'] as const;
const OF_TABLES = ['out', 'tables', 'month'] as const;

/** The chosen options for tables; null for the format of events. @throws InputError if an option belongs to the other format. */
export function chosenTables(
  names: readonly string[],
  options: TablesArguments &
    StateDirOption & { readonly cluster?: string; readonly manifest: boolean } & {
      readonly [Name in (typeof OF_HISTORY)[number]]?: unknown;
    },
): TablesOptions | null {
  const { format, out, tables, month, cluster, stateDir } = options;
  if (format === 'ndjson') {
    const given = OF_TABLES.find((name) => options[name] !== undefined);
    if (given === undefined) return null;
    throw new InputError(`--${given} is an option of --format parquet, which exports tables`);
  }
  const other = OF_HISTORY.find((name) => options[name] !== undefined);
  if (other !== undefined || options.manifest)
    throw new InputError(
      `${optionName(other ?? 'manifest')} does not apply to --format parquet: select rows with --tables, --month and --cluster`,
    );
  if (names.length > 0)
    throw new InputError(
      '--format parquet exports tables, not single Jobs: leave out the names, or the format',
    );
  if (out === undefined) throw new InputError('--format parquet needs a directory: --out <dir>');
  return {
    out,
    stateDir,
    ...(tables !== undefined && { tables }),
    ...(month !== undefined && { month }),
    ...(cluster !== undefined && { cluster }),
  };
}

function optionName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The names of tables in a list. @throws InputError for a name that is not exported. */
function tableNames(text: string): string[] {
  const known = [CLUSTERS, ...Object.keys(EXPORTED)];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new InputError(
      `--tables: "${unknown}" is not a table that can be exported; available: ${known.join(', ')}`,
    );
  return known.filter((name) => names.includes(name));
}

/** A month in the form `2026-11`. @throws InputError for other text, and for a month that has not begun. */
function pastMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InputError(`--month ${text}: expected a month such as 2026-11`);
  if (text > new Date().toISOString().slice(0, text.length))
    throw new InputError(`--month ${text}: the month has not begun`);
  return text;
}
