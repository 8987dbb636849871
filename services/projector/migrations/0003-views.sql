-- What the ledger says about decisions, their commands and outcomes, and about what was not seen.

create view decisions as
select
  e.id,
  e.cluster,
  e.job_uid,
  e.namespace,
  e.job_name,
  (e.data ->> 'number')::integer as number,
  e.data ->> 'predecessor' as predecessor,
  e.data ->> 'chain' as chain,
  to_timestamp((e.data ->> 'now')::numeric / 1000) as now,
  e.time as recorded_at,
  e.data ->> 'core' as core,
  e.data -> 'settings' as settings,
  e.data -> 'folded' as folded,
  e.data -> 'commands' as commands,
  to_timestamp((e.data ->> 'lookAgainAt')::numeric / 1000) as look_again_at,
  e.data -> 'waiting' ->> 'rule' as waiting_rule,
  e.data -> 'waiting' ->> 'words' as waiting_words,
  not exists (
    select from events later
    where later.type = 'job.decided' and later.data ->> 'predecessor' = e.id
  ) and exists (
    select from events other
    where other.type = 'job.decided'
      and other.cluster = e.cluster and other.job_uid = e.job_uid
      and (other.data ->> 'number')::integer = (e.data ->> 'number')::integer
      and other.id <> e.id
      and (
        other.kafka_offset > e.kafka_offset
        or exists (
          select from events later
          where later.type = 'job.decided' and later.data ->> 'predecessor' = other.id
        )
      )
  ) as superseded,
  e.kafka_partition,
  e.kafka_offset
from events e
where e.type = 'job.decided';

comment on view decisions is 'Every recorded decision.';
comment on column decisions.id is 'Id of its event.';
comment on column decisions.cluster is 'Name of the cluster.';
comment on column decisions.job_uid is 'UID of the Job.';
comment on column decisions.namespace is 'Namespace of the Job.';
comment on column decisions.job_name is 'Name of the Job.';
comment on column decisions.number is '1 for the first decision of the Job.';
comment on column decisions.predecessor is 'Id of the decision before; null for the first.';
comment on column decisions.chain is 'First run id of the Temporal workflow that decided.';
comment on column decisions.now is 'The instant that it took as now.';
comment on column decisions.recorded_at is 'When it was recorded.';
comment on column decisions.core is 'Version of the core that decided.';
comment on column decisions.settings is 'Settings that it read.';
comment on column decisions.folded is
  'Ids and digests of the events folded since the predecessor, in order; more of them may stand in job.folded events before.';
comment on column decisions.commands is 'Its commands, in order; the view commands has one row each.';
comment on column decisions.look_again_at is 'When time alone would change the answer.';
comment on column decisions.waiting_rule is 'Rule by which nothing more is done for now.';
comment on column decisions.waiting_words is 'The same in words.';
comment on column decisions.superseded is
  'The workflow ran this step again (after a crash, or because a signal came as it ended), and that other decision of the same number counts: it is named by the next one, or is the later one of two that none names. What this one did is seen as facts all the same.';
comment on column decisions.kafka_partition is 'Partition of the ledger.';
comment on column decisions.kafka_offset is 'Position in the partition.';

create view outcomes as
select
  e.id,
  e.cluster,
  e.job_uid,
  e.namespace,
  e.job_name,
  e.data ->> 'decision' as decision,
  (e.data ->> 'command')::integer as command,
  (e.data ->> 'attempt')::integer as attempt,
  e.data -> 'answer' ->> 'kind' as kind,
  e.data -> 'answer' ->> 'result' as result,
  coalesce(
    e.data -> 'answer' -> 'error' ->> 'message',
    jsonb_path_query_first(e.data, '$.answer.pods[*].error.message') #>> '{}'
  ) as error,
  e.data -> 'answer' as answer,
  to_timestamp((e.data -> 'answer' ->> 'at')::numeric / 1000) as answered_at,
  e.time as recorded_at
from events e
where e.type = 'command.answered';

comment on view outcomes is 'What the cluster answered to each command.';
comment on column outcomes.id is 'Id of its event.';
comment on column outcomes.cluster is 'Name of the cluster.';
comment on column outcomes.job_uid is 'UID of the Job.';
comment on column outcomes.namespace is 'Namespace of the Job.';
comment on column outcomes.job_name is 'Name of the Job.';
comment on column outcomes.decision is 'Id of the decision.';
comment on column outcomes.command is 'Which of its commands, from 0.';
comment on column outcomes.attempt is 'Which attempt at it.';
comment on column outcomes.kind is 'Kind of the command; skipped when one before it failed.';
comment on column outcomes.result is 'Result of the whole command, where it has one; pods have their own in answer.';
comment on column outcomes.error is 'The first error in it.';
comment on column outcomes.answer is 'The whole answer.';
comment on column outcomes.answered_at is 'When it came, by the clock of the worker.';
comment on column outcomes.recorded_at is 'When it was recorded.';

create view commands as
select
  d.id as decision,
  d.number,
  (c.position - 1)::integer as command,
  d.cluster,
  d.job_uid,
  d.namespace,
  d.job_name,
  c.command ->> 'kind' as kind,
  c.command -> 'why' ->> 'rule' as rule,
  c.command -> 'why' ->> 'words' as words,
  jsonb_array_length(c.command -> 'pods') as pods,
  d.superseded,
  d.now as decided_at,
  answered.at as answered_at,
  answered.error,
  c.command as content
from decisions d
cross join lateral jsonb_array_elements(d.commands) with ordinality as c (command, position)
left join lateral (
  select o.answered_at as at, o.error
  from outcomes o
  where o.decision = d.id and o.command = c.position - 1
  order by o.attempt desc, o.recorded_at desc
  limit 1
) answered on true;

comment on view commands is 'Every command of every decision, with its last outcome.';
comment on column commands.decision is 'Id of the decision.';
comment on column commands.number is 'Number of the decision.';
comment on column commands.command is 'Which of its commands, from 0.';
comment on column commands.cluster is 'Name of the cluster.';
comment on column commands.job_uid is 'UID of the Job.';
comment on column commands.namespace is 'Namespace of the Job.';
comment on column commands.job_name is 'Name of the Job.';
comment on column commands.kind is 'CreatePods, DeletePods, ReleasePods, WriteStatus and so on: docs/events.md lists them.';
comment on column commands.rule is 'Rule of the Job semantics that asked for it.';
comment on column commands.words is 'The same in words.';
comment on column commands.pods is 'Number of pods that it concerns; null when it concerns none.';
comment on column commands.superseded is 'The decision is superseded.';
comment on column commands.decided_at is 'The instant that the decision took as now.';
comment on column commands.answered_at is 'When the last outcome came; null when none did.';
comment on column commands.error is 'The first error in the last outcome.';
comment on column commands.content is 'The whole command.';

create view gaps as
select
  e.id,
  e.cluster,
  e.data ->> 'resource' as resource,
  (e.data ->> 'since')::timestamptz as gap_from,
  (e.data ->> 'until')::timestamptz as gap_to,
  e.data ->> 'reason' as reason,
  e.time as recorded_at
from events e
where e.type = 'cluster.gap';

comment on view gaps is 'Periods of a cluster in which something may have happened that nobody saw.';
comment on column gaps.id is 'Id of its event.';
comment on column gaps.cluster is 'Name of the cluster.';
comment on column gaps.resource is 'jobs or pods.';
comment on column gaps.gap_from is 'Begin of the period.';
comment on column gaps.gap_to is 'End of the period.';
comment on column gaps.reason is 'Why it could not be seen.';
comment on column gaps.recorded_at is 'When it was recorded.';

create view job_phases as
select
  j.cluster,
  j.uid as job_uid,
  j.namespace,
  j.name as job_name,
  j.labels,
  j.status,
  j.created_at,
  p.first_pod_at,
  p.first_ready_at,
  j.finished_at,
  p.first_pod_at - j.created_at as until_first_pod,
  p.first_ready_at - p.first_pod_at as until_first_ready,
  j.finished_at - j.created_at as until_finished,
  p.attempts
from jobs j
left join lateral (
  select
    min(created_at) as first_pod_at,
    min(first_ready_at) as first_ready_at,
    count(*)::integer as attempts
  from pods
  where pods.cluster = j.cluster and pods.job_uid = j.uid
) p on true;

comment on view job_phases is 'How long each Job took: created, first pod, first ready pod, finished.';
comment on column job_phases.cluster is 'Name of the cluster.';
comment on column job_phases.job_uid is 'UID of the Job.';
comment on column job_phases.namespace is 'Namespace of the Job.';
comment on column job_phases.job_name is 'Name of the Job.';
comment on column job_phases.labels is 'Labels of the Job.';
comment on column job_phases.status is 'Its status in one word.';
comment on column job_phases.created_at is 'When the Job was created.';
comment on column job_phases.first_pod_at is 'When its first pod was created.';
comment on column job_phases.first_ready_at is 'When a pod of it was ready first, as far as one was seen ready.';
comment on column job_phases.finished_at is 'When it finished.';
comment on column job_phases.until_first_pod is 'From the Job''s creation to its first pod.';
comment on column job_phases.until_first_ready is 'From the first pod to the first ready one.';
comment on column job_phases.until_finished is 'From the Job''s creation to its end.';
comment on column job_phases.attempts is 'Number of pods that it ever had.';
