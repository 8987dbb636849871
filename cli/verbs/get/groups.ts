import { InputError } from '../../../services/adapters/errors.ts';
import type { Grouping } from '../../../services/read-model/shown/job-lists.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';
import { report, write } from '../../output.ts';
import { table } from '../../print/table.ts';
import type { GroupOfJobs, JobsWanted } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { writeJson } from '../../write-json.ts';
import { orUnknownCluster } from './known-cluster.ts';
import type { Format } from './row-printer.ts';

/** Prints how many of the matching Jobs have each value of a property, the largest group first. `none`: printed without any. */
export async function printGroups(
  { output, ...options }: ConnectionOptions & { output?: Format | undefined },
  { by, wanted, none }: { by: Grouping; wanted: JobsWanted; none: string },
): Promise<void> {
  if (output === 'name') throw new InputError('-o name lists Jobs; leave out --group-by');
  const found = await withRows(options, (rows) => orUnknownCluster(rows, wanted, rows.groups(wanted, by)));
  const groups = found.slice(0, wanted.limit);
  if (output === 'json') writeJson(groups);
  else if (output === 'yaml') write((await import('yaml')).stringify(groups));
  else
    write(groups.length === 0 ? `no groups: ${none}, or none has a value of ${by}` : groupTable(groups, by));
  if (found.length > groups.length) report(`more than ${groups.length} groups; --limit shows more`);
}

function groupTable(groups: readonly GroupOfJobs[], by: Grouping): string {
  return table(
    [by.toUpperCase(), 'JOBS', 'ACTIVE PODS'],
    groups.map(({ value, message, job_count: jobs, active }) => [
      message ?? value,
      String(jobs),
      String(active),
    ]),
  );
}
