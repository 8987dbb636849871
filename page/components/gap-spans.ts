import type { ListedGap } from '../api/rows.ts';

/** A period that the picture shows as a bar. `to` is null when the end is not known. */
export interface TimeSpan {
  kind: 'wait' | 'suspension' | 'gap';
  from: number;
  to: number | null;
  message: string;
}

/** The periods in which events of the cluster may have been missed. */
export function gapSpans(gaps: readonly ListedGap[]): TimeSpan[] {
  return gaps.map(({ since: from, until: to, resource, reason }) => ({
    kind: 'gap',
    from: Date.parse(from),
    to: Date.parse(to),
    message: `events may be missing: changes of ${resource}${reason === null ? '' : `, ${reason}`}`,
  }));
}
