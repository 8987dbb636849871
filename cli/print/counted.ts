/** A number with its noun, such as `1 Job`, `2 Jobs` or `0 Jobs`; the plural of the noun must end with s. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The numbers of streams as text, such as `4 Jobs, 2 CronJobs and 1 cluster`. */
export function countedStreams(of: { jobs: number; cronJobs: number; clusters: number }): string {
  const cronJobs = of.cronJobs === 0 ? '' : `, ${countText(of.cronJobs, 'CronJob')}`;
  return `${countText(of.jobs, 'Job')}${cronJobs} and ${countText(of.clusters, 'cluster')}`;
}
