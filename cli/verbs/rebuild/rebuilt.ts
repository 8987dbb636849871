import type { TableComparison, RowDifference } from '../../../services/projector/rebuild/difference.ts';
import type { Rebuilt } from '../../../services/projector/rebuild/rebuild.ts';
import { table } from '../../print/table.ts';

/** The largest number of characters shown of a value. */
const WIDTH = 120;

/** The result of a rebuild as text. `seconds` is the duration of the rebuild. */
export function rebuiltText({ records, tables, mended }: Rebuilt, seconds: number): string {
  const differing = tables.filter(({ differences }) => differences > 0);
  return [
    ...differing.flatMap(differencesText),
    table(
      ['TABLE', 'ROWS', 'CHECKSUM', 'LIVE', 'DIFFERENCES'],
      tables.map(({ table: name, rows, checksum, live, differences }) => [
        name,
        rows,
        checksum,
        live.checksum === checksum ? 'the same' : live.checksum,
        String(differences),
      ]),
    ).trimEnd(),
    `${records} records of the ledger in ${seconds.toFixed(1)} s, ${(records / seconds).toFixed(0)} per second: ${outcomeText(differing.length > 0, mended)}`,
  ].join('\n');
}

/** The outcome of a rebuild; `mended` is true when the live tables were corrected. */
function outcomeText(isDifferent: boolean, mended: boolean): string {
  if (!isDifferent) return 'the live tables match the ledger';
  return mended
    ? 'the live tables were corrected and match the ledger'
    : 'the live tables differ from the ledger; nothing was changed';
}

/** Lines about the differing rows of a table. */
function differencesText({ table: name, differences, shown }: TableComparison): string[] {
  const more = differences - shown.length;
  return [
    ...shown.flatMap((difference) => differenceText(name, difference)),
    ...(more > 0 ? [`${name}: and ${more} more rows`] : []),
  ];
}

/** Lines about a row that is missing, that is not in the ledger, or whose columns differ. */
function differenceText(name: string, { key, kind, columns }: RowDifference): string[] {
  const row = `${name} ${key.join(' ')}`;
  if (kind === 'missing') return [`${row} is missing from the live table`];
  if (kind === 'extra') return [`${row} is not in the ledger`];
  return [
    `${row}:`,
    ...columns.map(
      ({ column, live, ledger }) => `  ${column}: ${shortJson(live)}, in the ledger ${shortJson(ledger)}`,
    ),
  ];
}

/** A value as JSON, cut to the largest shown length. */
function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}
