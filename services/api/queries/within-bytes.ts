/**
 * The maximum number of bytes of events in a response, as text, because a tenant determines the size of its events. A
 * single event may be longer.
 */
const MOST_BYTES = 4 * 1024 * 1024;
/** The number of events per statement, which is also the maximum number of events beyond the limit of bytes. */
const AT_ONCE = 10;

/** Rows, and whether further rows may follow because these rows have enough bytes. */
export interface Cut<Row> {
  rows: Row[];
  isCut: boolean;
}

/** Reads at most `limit` rows, a few at a time, and stops after the maximum number of bytes. `read` returns the next rows. */
export async function readWithinBytes<Row>(
  limit: number,
  read: (last: Row | undefined, count: number) => Promise<(Row & { bytes: number })[]>,
): Promise<Cut<Row>> {
  const rows: Row[] = [];
  let total = 0;
  while (rows.length < limit) {
    if (total >= MOST_BYTES) return { rows, isCut: true };
    const count = Math.min(AT_ONCE, limit - rows.length);
    const found = await read(rows.at(-1), count);
    for (const { bytes, ...row } of found) {
      total += bytes;
      rows.push(row as unknown as Row);
    }
    if (found.length < count) break;
  }
  return { rows, isCut: false };
}
