import { InputError } from '../../../services/adapters/errors.ts';
import { PLACEMENT_FROM_LEVEL } from '../../../services/adapters/events/feature-levels.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import type { Run } from '../../../services/adapters/postgres/database.ts';
import { sql } from '../../../services/adapters/postgres/statement.ts';
import { pause } from '../../../services/adapters/waiting/pause.ts';
import { clusterWords, sayOfCluster } from '../../../services/contracts/cluster-words.ts';
import { readFeatureLevel } from '../../../services/contracts/feature-level.ts';
import { readInstallation } from '../../../services/contracts/installation-records.ts';
import { readLiveTopic } from '../../../services/contracts/live-topic.ts';
import type { ClusterWord } from '../../../workflows/placement/settings.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { say, write } from '../../output.ts';
import { table } from '../../print/table.ts';
import { thisUser } from '../../this-user.ts';
import { withDatabase } from '../../with-database.ts';
import type { ClusterVerb, SayOptions } from './said.ts';

/** How a person's word changes what is said of a cluster. */
type Change = (word: ClusterWord, said: { by: string; at: number }) => ClusterWord;

const CHANGES: Readonly<Record<ClusterVerb, Change>> = {
  cordon: (word, said) => ({ ...word, cordoned: said }),
  drain: (word, said) => ({ ...word, cordoned: { ...said, drain: true } }),
  uncordon: ({ cordoned: _cordoned, ...word }) => word,
  lost: (word, said) => ({ ...word, lost: said }),
  found: ({ lost: _lost, ...word }) => word,
};

/** Records what a person says of a cluster. @throws InputError when it cannot be meant. */
export async function sayOf(verb: ClusterVerb, cluster: string, options: SayOptions): Promise<void> {
  const kafka = kafkaOf(options);
  const before = await wordOf(kafka, cluster);
  if (verb === 'lost' && before.silentSince === undefined && options.force !== true)
    throw new InputError(
      `the cluster ${cluster} answers, so its Jobs can be stopped: use "jobledger clusters drain ${cluster}"; with --force they start elsewhere without being stopped, and may run twice`,
    );
  const by = thisUser(options.by);
  const { silentSince: _silent, ...said } = CHANGES[verb](before, { by, at: Date.now() });
  await sayOfCluster(kafka, cluster, said);
  write(`${cluster}: ${verb} recorded, said by ${by}`);
  if (verb === 'drain') await account(cluster, options);
}

/** What is said of the cluster now. @throws InputError for a cluster that was never connected, or below the feature level. */
async function wordOf(kafka: KafkaConnection, cluster: string): Promise<ClusterWord> {
  const level = await readFeatureLevel(kafka);
  if (level < PLACEMENT_FROM_LEVEL)
    throw new InputError(
      `this installation is at feature level ${level}, and Jobs are placed from level ${PLACEMENT_FROM_LEVEL} on: run "jobledger upgrade --finalize"`,
    );
  const recorded = (await readLiveTopic(kafka)).map((record) => record.cluster);
  // Records of the installation are of no cluster.
  const known = new Set(recorded.filter((name) => name !== ''));
  if (!known.has(cluster))
    throw new InputError(
      `no cluster "${cluster}" was ever connected; there are: ${[...known].toSorted().join(', ') || 'none'}`,
    );
  return clusterWords(await readInstallation(kafka))[cluster] ?? {};
}

interface Left {
  home: string;
  namespace: string;
  job_name: string;
  member_name: string;
  stopping: string | null;
  pods: number;
  indexes: number;
}

const LOOK_MS = 1000;
/** Only the user ends the wait. */
const NEVER = new AbortController().signal;

/** Prints what is left in a drained cluster; with `--wait`, whenever that changes, until nothing is. */
async function account(cluster: string, options: SayOptions): Promise<void> {
  for (let last = ''; ; await pause(LOOK_MS, NEVER)) {
    const left = await withDatabase(options, (run) => leftIn(run, cluster));
    const words = left.length === 0 ? `no placed Job is in ${cluster}` : tableOf(left);
    if (words !== last) write(words);
    last = words;
    if (left.length === 0) return;
    if (options.wait !== true) {
      say(
        '"jobledger clusters drain" with --wait waits until they have left; Jobs that were not placed stay',
      );
      return;
    }
  }
}

function leftIn(run: Run, cluster: string): Promise<Left[]> {
  return run<Left>(
    sql`select placements.cluster as home, placements.namespace, placements.job_name, member_name, stopping,
        count(pods.uid)::int as pods, count(distinct pods.completion_index)::int as indexes
      from jobledger.placements
      left join jobledger.pods on pods.cluster = placed_in and pods.job_uid = member_uid
        and pods.finished_at is null and pods.deleted_at is null
      where placed_in = ${cluster} and ended_at is null
      group by 1, 2, 3, 4, 5 order by 1, 2, 3`,
  );
}

function tableOf(left: readonly Left[]): string {
  return table(
    ['HOME', 'NAMESPACE', 'JOB', 'MEMBER', 'PODS', 'INDEXES', 'STATE'],
    left.map(({ home, namespace, job_name: job, member_name: member, pods, indexes, stopping }) => [
      home,
      namespace,
      job,
      member,
      String(pods),
      String(indexes),
      stopping === null ? 'runs' : 'stops',
    ]),
  );
}
