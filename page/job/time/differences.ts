import type { JobDetails, JobThen } from '../../api/rows.ts';
import { podTextAt, type Lane } from '../pods/lanes.ts';

/** A difference between two instants, as text. */
export interface Difference {
  what: string;
  first: string;
  second: string;
}

type Compared = JobThen | JobDetails;

const FIELDS = [
  'kubectl_status',
  'suspend',
  'parallelism',
  'completions',
  'active',
  'ready',
  'terminating',
  'succeeded',
  'failed',
  'completed_indexes',
  'failed_indexes',
  'started_at',
] as const satisfies readonly (keyof JobThen & keyof JobDetails)[];

/** The fields of the status that differ between two instants, in the order of the page. */
export function statusDifferences(first: Compared, second: Compared): Difference[] {
  return FIELDS.map((field) => ({
    what: field.replaceAll('_', ' '),
    first: valueText(first[field]),
    second: valueText(second[field]),
  })).filter((each) => each.first !== each.second);
}

/** The value of a field as text. */
function valueText(value: string | number | boolean | null): string {
  return value === null || value === '' ? 'none' : String(value);
}

/** The pods whose state differs between two instants, or that did not exist at one of them. */
export function podDifferences(lanes: readonly Lane[], first: number, second: number): Difference[] {
  return lanes
    .flatMap(({ pods }) => pods)
    .map((pod) => ({
      what: pod.name,
      first: podTextAt(pod, first) ?? 'not created',
      second: podTextAt(pod, second) ?? 'not created',
    }))
    .filter((each) => each.first !== each.second);
}
