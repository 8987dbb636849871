import type { Command } from 'commander';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../output.ts';
import { table } from '../print/table.ts';
import { allClusters, type ClusterView } from '../../read-model/details.ts';
import { withDatabase } from '../with-database.ts';

export function registerClusters(program: Command): void {
  const command = program
    .command('clusters')
    .description('list the clusters that were ever connected, with the gaps in their watches');
  stateDirOption(outputOption(command, 'print the rows as JSON')).action(clusters);
}

async function clusters(options: StateDirOption & OutputOption): Promise<void> {
  const found = await withDatabase(options, (run) => run<ClusterView>(allClusters()));
  if (options.output === 'json') return writeJson(found);
  write(found.length === 0 ? 'no clusters' : clusterTable(found));
}

function clusterTable(found: readonly ClusterView[]): string {
  return table(
    ['NAME', 'UID', 'VERSION', 'CONNECTED', 'JOBS', 'UNFINISHED', 'GAPS', 'LAST GAP'],
    found.map((each) => [
      each.name,
      each.uid ?? '',
      each.version ?? '',
      each.last_connected_at ?? '',
      String(each.jobs),
      String(each.unfinished),
      String(each.gaps),
      each.last_gap_to === null ? '' : `${each.last_gap_from ?? '?'} to ${each.last_gap_to}`,
    ]),
  );
}
