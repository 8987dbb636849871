import { setTimeout as delay } from 'node:timers/promises';
import { STOPPED_MS } from '../kills/strike.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import { clustersVerb, type ClusterName, type ThreeClusters } from '../support/placed-jobs.ts';
import { freeze } from '../support/processes.ts';
import type { LostAnswers } from './lost-answers.ts';
import type { Round } from './rounds.ts';

/** The dependencies of faults besides the clusters. */
export interface FaultTools {
  losses: LostAnswers;
  /** Changes the placed Jobs of a round at home. */
  edit(round: Round, patch: object): Promise<void>;
}

/** Begins a fault that concerns the creation of the round's Jobs. */
export function prepare({ losses }: FaultTools, { fault, cluster, number }: Round): void {
  if (fault === 'answers-lost') losses.begin(cluster, number);
}

/** Brings the fault about, kills and stops services meanwhile, and resolves when it is over and all services answer. */
export async function strike(three: ThreeClusters, round: Round, tools: FaultTools): Promise<void> {
  const { jobledger } = three;
  await Promise.all([
    suffer(three, round, tools),
    ...round.kills.map(async ({ service, after }) => {
      await delay(after);
      await jobledger.kill(service);
    }),
    round.stop === undefined ? undefined : standStill(three, round.stop),
  ]);
  for (const { service } of [...round.kills, ...(round.stop === undefined ? [] : [round.stop])])
    await jobledger.answers(service);
}

/** Stops a service for a while, if it runs at that moment. */
async function standStill(
  { jobledger: { services } }: ThreeClusters,
  { service, after }: NonNullable<Round['stop']>,
): Promise<void> {
  await delay(after);
  const pid = services.pid(service);
  if (pid !== undefined) await freeze(pid, STOPPED_MS);
}

async function suffer(
  { jobledger, links }: ThreeClusters,
  round: Round,
  { losses, edit }: FaultTools,
): Promise<void> {
  const { cluster, fault, lasts } = round;
  switch (fault) {
    case 'cut-briefly':
    case 'cut':
    case 'cut-past-lease':
    case 'cut-home':
      return cutFor({ links }, cluster, () => delay(lasts));
    case 'cut-until-moved':
      return cutFor({ links }, cluster, async () => {
        await delay(lasts);
        await moved(jobledger, cluster);
      });
    case 'drain':
      await clustersVerb(jobledger, 'drain', cluster, '--wait');
      await clustersVerb(jobledger, 'uncordon', cluster);
      return;
    case 'drain-while-cut':
      await cutFor({ links }, cluster, async () => {
        await delay(lasts);
        await clustersVerb(jobledger, 'drain', cluster);
      });
      await clustersVerb(jobledger, 'drain', cluster, '--wait');
      await clustersVerb(jobledger, 'uncordon', cluster);
      return;
    case 'kill-api-server':
      await jobledger.kill(`${cluster}-kube-apiserver`);
      await delay(lasts);
      await jobledger.answers(`${cluster}-kube-apiserver`);
      return;
    case 'answers-lost':
      await firstLoss(losses, cluster);
      await delay(lasts);
      losses.end(cluster);
      return;
    case 'restore': {
      const restore = copyOfEtcd(jobledger, cluster);
      await delay(lasts);
      return restore();
    }
    case 'edit-home':
      await edit(round, { spec: { parallelism: 3, backoffLimit: 101, activeDeadlineSeconds: 3600 } });
      await delay(lasts);
      await edit(round, { spec: { suspend: true } });
      await delay(lasts);
      await edit(round, { spec: { suspend: false, parallelism: 2, activeDeadlineSeconds: null } });
  }
}

/** The Jobs may all have gone elsewhere, so it is waited for a while only. */
const FIRST_LOSS_WITHIN_MS = 60_000;

/** A slow machine asks for the first creation later than the fault would last. */
async function firstLoss(losses: LostAnswers, cluster: ClusterName): Promise<void> {
  const limit = Date.now() + FIRST_LOSS_WITHIN_MS;
  while (!losses.hasLost(cluster) && Date.now() < limit) await delay(100);
}

async function cutFor(
  { links }: Pick<ThreeClusters, 'links'>,
  cluster: ClusterName,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  links.cut(cluster);
  try {
    await meanwhile();
  } finally {
    links.heal(cluster);
  }
}

/** The wait of a guarded Job: its lease, the deletion, the deadline of its pods, and the differences of clocks. */
const MOVES_WITHIN_SECONDS = 240;

/**
 * Resolves when no guarded Job is left in the cluster; that of a finished one may stay, as may one whose guard or member was gone before the
 * cluster was cut off: nothing that can be seen has ended its pods.
 */
async function moved({ sql }: ThreeClusters['jobledger'], cluster: ClusterName): Promise<void> {
  await eventually(`no guarded Job is left in ${cluster}`, MOVES_WITHIN_SECONDS, async () => {
    const left = await sql(
      `select from jobledger.placements p
       join jobledger.jobs j on j.cluster = p.cluster and j.uid = p.job_uid
       left join jobledger.jobs m on m.cluster = p.placed_in and m.uid = p.member_uid
       where p.placed_in = $1 and p.ended_at is null and p.job_name like '%-movewhenstopped' and j.finished_at is null
         and p.stopping is distinct from 'unguarded' and m.deleted_at is null`,
      [cluster],
    );
    return left.length === 0 ? true : undefined;
  });
}
