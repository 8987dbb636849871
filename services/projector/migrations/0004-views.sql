-- Outcomes, attempt by attempt, and how long Jobs took.

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

comment on view outcomes is 'Every answer of the cluster to a command, read from the events: quick for one Job or a short time.';
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

create view job_phases as
select
  cluster,
  uid as job_uid,
  namespace,
  name as job_name,
  labels,
  status,
  created_at,
  first_pod_at,
  first_ready_at,
  finished_at,
  first_pod_at - created_at as until_first_pod,
  first_ready_at - first_pod_at as until_first_ready,
  finished_at - first_ready_at as until_finished,
  finished_at - created_at as total,
  attempts
from jobs;

comment on view job_phases is
  'How long each phase of each Job took: created, first pod, first ready pod, finished. A phase is null until it is over, and where its begin or end was not seen.';
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
comment on column job_phases.until_finished is 'From the first ready pod to the Job''s end.';
comment on column job_phases.total is 'From the Job''s creation to its end.';
comment on column job_phases.attempts is 'Number of pods that it ever had.';
