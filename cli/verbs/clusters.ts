import type { Command } from 'commander';
import { messageOf } from '../../services/adapters/errors.ts';
import { limitsOf } from '../../services/adapters/kubernetes/cluster-facts.ts';
import { readWatches, type ClusterWatches } from '../../services/contracts/watches.ts';
import { allClusters, type ClusterView } from '../../services/read-model/details.ts';
import { kafkaOf } from '../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { outputOption, write, type OutputOption, say } from '../output.ts';
import { writeJson } from '../write-json.ts';
import { span } from '../print/spans.ts';
import { table } from '../print/table.ts';
import { addClusterWords } from './cluster-words.ts';
import { withDatabase } from '../with-database.ts';

/** A row of the tables, and, from Kafka, the ingester that watches the cluster. */
interface ClusterRow extends ClusterView {
  leader: string | null;
  leading_since: string | null;
  jobs_heard_at: string | null;
  pods_heard_at: string | null;
  /** What Jobledger offers and the cluster cannot do, in words. */
  limits: string[];
}

export function registerClusters(program: Command): void {
  const command = program
    .command('clusters')
    .description(
      'list the clusters that were ever connected: which ingester leads, when each watch last heard something, and the gaps',
    );
  addClusterWords(command);
  stateDirOption(outputOption(command, 'print the rows as JSON')).action(clusters);
}

async function clusters(options: StateDirOption & OutputOption): Promise<void> {
  const found = await withDatabase(options, (run) => run<ClusterView>(allClusters()));
  const watches = await watchesOf(options);
  const rows = found.map((each) => rowOf(each, watches.get(each.name)));
  if (options.output === 'json') return writeJson(rows);
  write(rows.length === 0 ? 'no clusters' : clusterTable(rows, Date.now()));
}

/** Without Kafka, shows the rest. */
async function watchesOf(options: StateDirOption): Promise<ReadonlyMap<string, ClusterWatches>> {
  try {
    return await readWatches(kafkaOf(options));
  } catch (error) {
    say(`the leaders are unknown: ${messageOf(error)}`);
    return new Map();
  }
}

function rowOf(cluster: ClusterView, watches: ClusterWatches | undefined): ClusterRow {
  return {
    ...cluster,
    leader: watches?.leader ?? null,
    leading_since: watches?.leadingSince ?? null,
    jobs_heard_at: watches?.jobsHeardAt ?? null,
    pods_heard_at: watches?.podsHeardAt ?? null,
    limits: limitsOf(cluster).map(({ words }) => words),
  };
}

function clusterTable(found: readonly ClusterRow[], now: number): string {
  const ago = (time: string | null): string => (time === null ? '' : `${span(Date.parse(time), now)} ago`);
  return table(
    [
      'NAME',
      'UID',
      'VERSION',
      'WITHOUT',
      'CONNECTED',
      'LEADER',
      'JOBS HEARD',
      'PODS HEARD',
      'JOBS',
      'UNFINISHED',
      'GAPS',
      'LAST GAP',
    ],
    found.map((each) => [
      each.name,
      each.uid ?? '',
      each.version ?? '',
      limitsOf(each)
        .map(({ feature }) => feature)
        .join(','),
      each.last_connected_at ?? '',
      each.leader ?? '',
      ago(each.jobs_heard_at),
      ago(each.pods_heard_at),
      String(each.jobs),
      String(each.unfinished),
      String(each.gaps),
      each.last_gap_to === null ? '' : `${each.last_gap_from ?? '?'} to ${each.last_gap_to}`,
    ]),
  );
}
