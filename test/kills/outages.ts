/** A period in which a part did not work, or a Job was not seen. */
export interface Outage {
  from: number;
  /** Infinity while it lasts. */
  to: number;
  /** The Job that it concerns; absent: all. */
  job?: string;
}

/** An outage that begins now and lasts this many milliseconds. */
export function startOutage(ms: number): Outage {
  const from = Date.now();
  return { from, to: from + ms };
}

/** Work resumes within 10 s after the restart of one part; twice as long when another was killed during the recovery of one. */
const RECOVERY_MS = 20_000;
/** From fact to decision it takes up to a batch period, and the API truncates instants to seconds. */
const SLACK_MS = 2500;

/**
 * The latest instant at which something that was due may happen to a Job: outages delay it until the recovery from the last
 * of them, each of which began before the recovery from those before.
 */
export function latestFor(job: string, due: number, outages: readonly Outage[]): number {
  const delaying = outages
    .filter((outage) => (outage.job ?? job) === job && outage.to + RECOVERY_MS > due)
    .toSorted((a, b) => a.from - b.from);
  let latest = due + SLACK_MS;
  for (const { from, to } of delaying) {
    if (from > latest) break;
    latest = Math.max(latest, to + RECOVERY_MS);
  }
  return latest;
}
