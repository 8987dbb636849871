import { sql } from '../../services/adapters/postgres/statement.ts';
import type { PageInBrowser } from './page-in-browser.ts';

/** A generated ledger of two days. */
export const STORY_LEDGER = {
  events: 30_000,
  until: Date.parse('2026-11-22T00:00:00Z'),
  days: 2,
  variants: 3,
  seed: 24,
};

/** A Job of that ledger whose pods failed, and its pod that was created after a back-off. */
export interface Story {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  pod: string;
}

/** Fills the tables of the page with the generated ledger, and finds the Job. */
export async function fillWithStory(served: PageInBrowser): Promise<Story> {
  await served.fillWith(STORY_LEDGER);
  const [found] = await served.postgres.database.run<Story>(
    sql`select j.cluster, j.namespace, j.name, j.uid, p.name as pod
      from jobledger.jobs j join jobledger.pods p on p.cluster = j.cluster and p.job_uid = j.uid
      where j.finished_at is not null and p.creation_rule = ${'J-5.40'} and p.exit_code <> 0
        and j.deleted_at is null
      order by j.decision_count desc, p.name limit 1`,
  );
  if (found === undefined) throw new Error('the generated ledger has no Job with a back-off');
  return found;
}

/** The address of the Job in the page, from its `?`. */
export function searchFor({ cluster, namespace, name, uid }: Story, more = ''): string {
  return `?cluster=${cluster}&namespace=${namespace}&job=${name}&uid=${uid}${more}`;
}
