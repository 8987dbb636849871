/** `1 Job`, `2 Jobs`, `0 Jobs`: for words with a plural in s. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `4 Jobs and 1 cluster`, `4 Jobs, 2 CronJobs and 1 cluster`. */
export function countedStreams(of: { jobs: number; cronJobs: number; clusters: number }): string {
  const cronJobs = of.cronJobs === 0 ? '' : `, ${countText(of.cronJobs, 'CronJob')}`;
  return `${countText(of.jobs, 'Job')}${cronJobs} and ${countText(of.clusters, 'cluster')}`;
}
