import type { Statement } from '../../adapters/postgres/statement.ts';
import type { Places } from '../../adapters/places.ts';
import type { Requirement } from './label-selector.ts';
import { columnsIn } from '../views/view.ts';
import { JOB_VIEW, PLACED_IN } from '../views/jobs.ts';
import { placeValues, visibleIn } from './visible.ts';

export interface JobFilter {
  namespace?: string | undefined;
  cluster?: string | undefined;
  /** Requirements for the labels of the Jobs. */
  selector?: readonly Requirement[] | undefined;
  /** Includes deleted Jobs. */
  deleted: boolean;
  /** Includes the members of placed Jobs. */
  members?: boolean | undefined;
  limit: number;
}

/** The columns of a JobView, selected from `jobledger.jobs`. */
export const JOB_COLUMNS = `${columnsIn(JOB_VIEW.omit({ placed_in: true }))}, ${PLACED_IN} as placed_in`;

/** Jobs with at least one decision, oldest first. */
export function decidedJobs(filter: Pick<JobFilter, 'namespace' | 'cluster'>): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where decision_count > 0 and ($1::text is null or namespace = $1) and ($2::text is null or cluster = $2)
      order by first_seen_at, cluster, uid`,
    values: [filter.namespace ?? null, filter.cluster ?? null],
  };
}

/** Selects the Job with a uid. */
export function jobsWithUid({ cluster, job_uid: uid }: { cluster: string; job_uid: string }): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs where cluster = $1 and uid = $2`,
    values: [cluster, uid],
  };
}

/**
 * Objects with similar names, to suggest after a typo: one name contains the other or, for an object that exists, a
 * letter or two neighbours differ.
 */
export function similarNames(view: 'jobs' | 'cron_jobs', text: string, places: Places = null): Statement {
  return {
    text: `select distinct cluster, namespace, name from jobledger.${view}
      where ${visibleIn(3, view)} and (position($1 in name) > 0 or position(name in $1) > 0
          or (deleted_at is null and abs(length(name) - length($1)) <= 1 and name like any($2::text[])))
      order by cluster, namespace, name limit 5`,
    values: [text, typingErrors(text), ...placeValues(places)],
  };
}

/** The objects of exactly this name, to suggest when a user gave the name of an object of another kind. */
export function exactNames(view: 'jobs' | 'pods', name: string, places: Places = null): Statement {
  return {
    text: `select distinct cluster, namespace, name from jobledger.${view}
      where name = $1 and ${visibleIn(2, view)}
      order by cluster, namespace, name limit 5`,
    values: [name, ...placeValues(places)],
  };
}

/** The lengths of names for which a typing error is recognized: too many names would match a shorter name, and Kubernetes has no name with more characters. */
const [SHORTEST, LONGEST] = [4, 253];

/** Patterns of LIKE: the text with any letters in the place of each two neighbours. */
function typingErrors(text: string): string[] {
  const literal = (part: string): string => part.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return Array.from(
    { length: text.length < SHORTEST || text.length > LONGEST ? 0 : text.length - 1 },
    (_, at) => [literal(text.slice(0, at)), literal(text.slice(at + 2))].join('%'),
  );
}
