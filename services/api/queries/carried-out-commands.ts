import type { Command } from '../../../workflows/job/commands.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';

/** A command that was carried out, and its position in the Job's stream. */
export interface CarriedOutCommand {
  kafka_offset: string;
  outcome: Outcome;
  /**
   * The command of an `EmitEvents`, whose outcome does not contain the Events; null for any other kind, and when the
   * stream does not contain its decision.
   */
  command: Command | null;
}

/**
 * The outcomes of a Job from which its Kubernetes Events follow (`eventsOnJob`): creations and deletions of pods have
 * Events of their own, and a refused change has a Warning. `after` is an exclusive offset. Selects one row beyond the
 * limit, to show whether more follow.
 */
export function selectCarriedOutCommands(
  { cluster, uid }: { cluster: string; uid: string },
  after: string,
  limit: number,
): Statement {
  return sql`select a.kafka_offset, a.data -> 'outcome' as outcome, d.command
    from jobledger.events a
    left join lateral (
      select data -> 'commands' -> (a.data ->> 'command')::integer as command from jobledger.events
      where id = a.data ->> 'decision' and a.data -> 'outcome' ->> 'kind' = 'EmitEvents'
      limit 1
    ) d on true
    where a.cluster = ${cluster} and a.job_uid = ${uid} and a.kafka_offset > ${after}::bigint
      and a.type = 'outcome.recorded'
      and (a.data -> 'outcome' ->> 'kind' in ('EmitEvents', 'CreatePods', 'DeletePods')
        or jsonb_path_exists(a.data, '$.outcome.**.error'))
    order by a.kafka_offset limit ${limit + 1}`;
}
