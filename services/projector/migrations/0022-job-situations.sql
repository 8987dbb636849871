-- What a user asks first of a Job: its state, what it waits for, and why it fails; and why a pod has no node.

-- Nothing is projected at the same time: a projector writes its position first in each transaction.
lock table positions in share row exclusive mode;

alter table jobs
  add column suspend_requested_by text,
  add column suspend_requested_at timestamptz,
  add column pod_summary jsonb not null default '{"running": 0, "failed": {}, "waiting": {}}',
  add column state text not null default 'Pending',
  add column waits_for text,
  add column waits_until timestamptz,
  add column reason text;

comment on column jobs.suspend_requested_by is
  'Who asked Jobledger for the suspension; null when nobody did, or asked to resume the Job later.';
comment on column jobs.suspend_requested_at is 'When that was recorded.';
comment on column jobs.pod_summary is
  'Its pods as counts: running; failed, by cause; waiting, by what they wait for. The columns state, waits_for and reason follow from it.';
comment on column jobs.state is
  'Pending: no pod has run yet. Running. Retrying: an attempt failed, and the next one does not run yet. Suspended. Succeeded. Failed. External: Jobledger does not drive it. Deleted: it was deleted before it ended.';
comment on column jobs.waits_for is
  'What it waits for, in words; null when it waits for nothing but its pods, or is over.';
comment on column jobs.waits_until is 'Until when it waits, such as the next attempt after a back-off; null when that is not known.';
comment on column jobs.reason is
  'Why it failed, or is failing: the causes of failed pods with their numbers, then the reason of its condition Failed or FailureTarget. Null when nothing failed, or it succeeded.';
comment on column pods.reason is
  'status.reason, else the reason of the container that failed or waits, else why a pending pod has no node.';
comment on column pods.message is 'status.message, else the message of that container or of the condition PodScheduled.';

-- Why pending pods have no node, as far as their events are still here.
update pods
set reason = coalesce(pods.reason, latest.scheduled ->> 'reason'),
  message = coalesce(pods.message, latest.scheduled ->> 'message')
from (
  select p.cluster, p.job_uid, p.uid, jsonb_path_query_first(seen.object, '$.status.conditions[*] ? (@.type == "PodScheduled")') as scheduled
  from pods p
  cross join lateral (
    select e.data -> 'object' as object
    from events e
    where e.cluster = p.cluster and e.job_uid = p.job_uid and e.type in ('pod.observed', 'pod.deleted')
      and e.data -> 'object' -> 'metadata' ->> 'uid' = p.uid
      and e.resource_version = p.resource_version
    order by e.kafka_offset
    limit 1
  ) seen
  where p.phase = 'Pending' and (p.reason is null or p.message is null)
) latest
where (pods.cluster, pods.job_uid, pods.uid) = (latest.cluster, latest.job_uid, latest.uid)
  and latest.scheduled ->> 'status' = 'False';

-- The last request of a user.
update jobs
set suspend_requested_by = request.by, suspend_requested_at = request.time
from (
  select distinct on (cluster, job_uid) cluster, job_uid, data ->> 'command' as command, data ->> 'by' as by, time
  from events
  where type = 'command.received'
  order by cluster, job_uid, kafka_offset desc
) request
where request.command = 'suspend' and (jobs.cluster, jobs.uid) = (request.cluster, request.job_uid);

create temporary table pods_now on commit drop as
with placed as (
  select cluster, job_uid,
    deleted_at is null and coalesce(phase not in ('Succeeded', 'Failed'), true) as is_open,
    coalesce(phase = 'Running', false) and reason is distinct from 'CrashLoopBackOff' as runs,
    left(replace(concat_ws(': ', nullif(reason, ''),
      nullif(case when message <> '[redacted]' then regexp_replace(message, ' preemption: .*$', '') end, '')),
      '"' || name, '"…'), 200) as wait,
    regexp_match(split_part(coalesce(why_ended, ''), ': ', 1), '^exit code (-?\d+)(?: \((.*)\))?$') as exit,
    split_part(coalesce(why_ended, ''), ': ', 1) as ended,
    case when message ~ '^[a-zA-Z$][a-zA-Z$ ;''-]{0,99}$' then ' (' || message || ')' else '' end as phrase
  from pods
)
select cluster, job_uid, is_open and runs as runs,
  case when is_open and not runs then wait end as wait,
  case
    when ended in ('', 'Succeeded', 'deleted by Jobledger', 'deleted with its Job', 'gone before it was ever observed') then null
    when exit is null or coalesce(exit[2], 'Error') = 'Error' then regexp_replace(ended, ' \(Error\)$', '')
    else exit[1] || ' ' || exit[2] || case when exit[2] in ('StartError', 'ContainerCannotRun') then phrase else '' end
  end as cause
from placed;

create temporary table causes on commit drop as
select cluster, job_uid, cause, count(*)::integer as pods,
  row_number() over (partition by cluster, job_uid order by count(*) desc, cause collate "C") as place
from pods_now where cause is not null group by cluster, job_uid, cause;

create index on causes (cluster, job_uid);

create temporary table waits on commit drop as
select cluster, job_uid, wait, count(*)::integer as pods
from pods_now where wait is not null group by cluster, job_uid, wait;

create index on waits (cluster, job_uid);
analyze causes;
analyze waits;

update jobs
set pod_summary = jsonb_build_object('running', found.running, 'failed', found.failed, 'waiting', found.waiting)
from (
  select running.cluster, running.job_uid, running.running,
    coalesce((select jsonb_object_agg(cause, pods) from causes c where (c.cluster, c.job_uid) = (running.cluster, running.job_uid)), '{}') as failed,
    coalesce((select jsonb_object_agg(wait, pods) from waits w where (w.cluster, w.job_uid) = (running.cluster, running.job_uid)), '{}') as waiting
  from (select cluster, job_uid, count(*) filter (where runs) as running from pods_now group by cluster, job_uid) running
) found
where (jobs.cluster, jobs.uid) = (found.cluster, found.job_uid);

-- As services/read-model/job-situation.ts says it. Reasons first: causes of pods, then the condition.
create temporary table situations on commit drop as
with facts as (
  select *,
    (pod_summary ->> 'running')::integer as running,
    jsonb_path_query_first(conditions, '$[*] ? (@.type == "Suspended" && @.status == "True")') ->> 'lastTransitionTime' as suspended_since,
    coalesce(
      jsonb_path_query_first(conditions, '$[*] ? (@.type == "Failed" && @.status == "True")'),
      jsonb_path_query_first(conditions, '$[*] ? (@.type == "FailureTarget" && @.status == "True")')
    ) as failing
  from jobs
), stated as (
  select *,
    case
      when status = 'Complete' then 'Succeeded'
      when status = 'Failed' then 'Failed'
      when deleted_at is not null then 'Deleted'
      when not claimed then 'External'
      when suspend then 'Suspended'
      when running > 0 then 'Running'
      when pod_summary -> 'failed' <> '{}'
        or exists (select from jsonb_object_keys(pod_summary -> 'waiting') wait where starts_with(wait, 'CrashLoopBackOff')) then 'Retrying'
      when succeeded > 0 then 'Running'
      else 'Pending'
    end as now_state,
    case when failing is not null then
      case coalesce(failing ->> 'reason', '')
        when '' then 'failed'
        when 'BackoffLimitExceeded' then 'back-off limit reached'
        when 'DeadlineExceeded' then 'deadline exceeded'
        when 'FailedIndexes' then 'indexes failed'
        when 'MaxFailedIndexesExceeded' then 'too many indexes failed'
        when 'PodFailurePolicy' then 'by its pod failure policy'
        else failing ->> 'reason'
      end
    end as ending
  from facts
)
select s.cluster, s.uid, s.now_state as state,
  case
    when s.now_state in ('Succeeded', 'Failed', 'Deleted') then null
    when s.suspend then
      case
        when s.waiting_rule = 'J-12.6' and s.waiting_words is not null then regexp_replace(s.waiting_words, '^suspended until ', '')
        when s.suspended_since ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$'
          and s.suspended_since::timestamptz - s.suspend_requested_at > interval '-1 second'
          and s.suspended_since::timestamptz - s.suspend_requested_at < interval '60 seconds'
          then 'to be resumed: suspended by ' || s.suspend_requested_by
        else 'to be resumed'
      end
    when s.now_state = 'External' and s.started_at is null then
      case
        when coalesce(s.managed_by, 'kubernetes.io/job-controller') = 'kubernetes.io/job-controller' then 'the built-in Job controller'
        else 'the controller ' || s.managed_by || ', which spec.managedBy names'
      end
    when s.waiting_rule = 'J-3.2' and s.waiting_words is not null then 'a request that the API server refused: '
      || regexp_replace(regexp_replace(s.waiting_words, '^.*?, the last: ', ''), '^\S+ "[^"]*" is forbidden: ', '')
    when pods.words is not null then pods.words
    when s.waiting_rule in ('J-5.40', 'J-5.44') then 'its next attempt'
    when s.waiting_words is not null then s.waiting_words
    when s.now_state = 'Pending' then 'its first pod to be created'
    when s.now_state = 'Retrying' then 'its next attempt'
  end as waits_for,
  case
    when s.now_state in ('Succeeded', 'Failed', 'Deleted') or s.suspend or (s.now_state = 'External' and s.started_at is null) then null
    when s.waiting_rule = 'J-3.2' and s.waiting_words is not null then s.look_again_at
    when pods.words is not null then null
    when s.waiting_rule in ('J-5.40', 'J-5.44') or s.waiting_words is not null then s.look_again_at
  end as waits_until,
  case when s.now_state <> 'Succeeded' then nullif(concat_ws(': ', causes.words, s.ending), '') end as reason
from stated s
left join lateral (
  select case when wait = '' then 'its pod to start'
      else regexp_replace(wait, '^Unschedulable: (\d+)/(\d+) nodes are available: (.*?)\.?$', '\1 of \2 nodes fit: \3') end
    || case when pods > 1 then ' (' || pods || ' pods)' else '' end as words
  from waits w
  where (w.cluster, w.job_uid) = (s.cluster, s.uid)
    and (s.now_state <> 'Running' or wait not in ('', 'ContainerCreating', 'PodInitializing'))
  order by pods desc, wait collate "C"
  limit 1
) pods on true
left join lateral (
  select string_agg(cause || ' ×' || pods, ', ' order by place) filter (where place <= 3)
    || case when max(place) > 3 then ', others' else '' end as words
  from causes c where (c.cluster, c.job_uid) = (s.cluster, s.uid)
) causes on true;

update jobs
set state = s.state, waits_for = s.waits_for, waits_until = s.waits_until, reason = s.reason
from situations s
where (jobs.cluster, jobs.uid) = (s.cluster, s.uid);
