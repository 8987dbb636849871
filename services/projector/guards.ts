import { errorMessage } from '../adapters/errors.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql, type Statement } from '../adapters/postgres/statement.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** The interval of queries, in milliseconds. */
const PERIOD_MS = 10_000;

/** The guards in a cluster (docs/placement.md), and the renewal of the guard whose lease has run the longest. */
interface GuardsOfCluster {
  cluster: string;
  guards: number;
  /** The time when the cluster last accepted a renewal, in seconds since 1970; null without guards. */
  renewed_at: number | null;
  lease_seconds: number | null;
}

interface GuardDependencies {
  run: Run;
  log: Log;
  signal: AbortSignal;
}

/**
 * Shows which part of the lease of guards has passed since their renewal. The value comes from the tables, so it does
 * not depend on the worker that renews the guards, and keeps rising while Postgres is unavailable.
 */
export function showGuards(metrics: Metrics, { run, log, signal }: GuardDependencies): void {
  let known: readonly GuardsOfCluster[] = [];
  metrics.gauge(
    {
      name: 'jobledger_guards',
      help: 'Guards of placed Jobs in the cluster, whose leases must be renewed.',
      labels: ['cluster'],
    },
    () => known.map(({ cluster, guards }) => ({ labels: { cluster }, value: guards })),
  );
  metrics.gauge(
    {
      name: 'jobledger_guard_lease_elapsed_ratio',
      help: 'The largest part of a lease that has passed since its guard in the cluster was renewed; 0: no guard.',
      labels: ['cluster'],
    },
    () => known.map((each) => ({ labels: { cluster: each.cluster }, value: elapsedRatio(each, Date.now()) })),
  );
  const refreshPeriodically = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        known = await run<GuardsOfCluster>(guardsByCluster());
      } catch (error) {
        if (!signal.aborted) log.debug({ error: errorMessage(error) }, 'the guards cannot be read');
      }
      await pause(PERIOD_MS, signal);
    }
  };
  void refreshPeriodically();
}

/** The part of the lease that has passed since the renewal; `now` is in milliseconds. */
export function elapsedRatio({ renewed_at: at, lease_seconds: lease }: GuardsOfCluster, now: number): number {
  return at === null || lease === null ? 0 : Math.max(0, now / 1000 - at) / lease;
}

/**
 * Selects a row for each cluster. A guard counts from its first renewal until the guard is released or deleted, or its
 * grant ends.
 */
export function guardsByCluster(): Statement {
  return sql`
    select clusters.name as cluster, count(guard.lease_seconds)::integer as guards,
      (array_agg(guard.renewed_at order by guard.half_at))[1] as renewed_at,
      (array_agg(guard.lease_seconds order by guard.half_at))[1] as lease_seconds
    from jobledger.clusters left join (
      select placed_in, renewed_at, lease_seconds, renewed_at + lease_seconds / 2 as half_at
      from jobledger.placements cross join lateral (
        select commands.kind, commands.result, extract(epoch from commands.outcome_at)::float8 as renewed_at,
          (events.data -> 'commands' -> commands.command ->> 'leaseSeconds')::float8 as lease_seconds
        from jobledger.commands join jobledger.events on events.cluster = commands.cluster
          and events.job_uid = commands.job_uid and events.id = commands.decision
        where commands.cluster = placements.cluster and commands.job_uid = placements.job_uid
          and commands.kind in ('RenewGuard', 'ReleaseGuard') and commands.result in ('done', 'gone')
          and (events.data -> 'commands' -> commands.command ->> 'grant')::integer = placements.grant_number
        order by commands.decided_at desc limit 1
      ) latest
      where placements.ended_at is null and latest.kind = 'RenewGuard' and latest.result = 'done'
    ) guard on guard.placed_in = clusters.name
    group by clusters.name order by clusters.name`;
}
