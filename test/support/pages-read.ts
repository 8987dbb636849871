import type { Database } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';

interface Plan {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number; 'Actual Rows': number };
}

/** Runs a statement; returns how many rows it has, and how many pages of 8 KiB it reads. */
export async function pagesRead(
  database: Database,
  { text, values }: Statement,
): Promise<{ rows: number; pages: number }> {
  const explained = { text: `explain (analyze, buffers, format json) ${text}`, values };
  const [found] = await database.run<{ 'QUERY PLAN': [Plan] }>(explained);
  const plan = found?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('Postgres explains nothing');
  return { rows: plan['Actual Rows'], pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}
