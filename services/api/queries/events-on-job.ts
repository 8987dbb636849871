import type { Command } from '../../../workflows/job/commands.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';

/** A command that was carried out, and its position in the Job's stream. */
export interface SentCommand {
  kafka_offset: string;
  outcome: Outcome;
  /** The command; null when the stream does not contain its decision. */
  command: Command | null;
}

/**
 * The carried out commands of a Job after an offset that may have created Kubernetes Events. Selects one row beyond the limit, to
 * show whether more follow.
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
