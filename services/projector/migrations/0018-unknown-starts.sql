-- A start whose request got no answer, or whose worker ended first, was carried out when its Job is observed (J-9.38).

create or replace view cron_job_runs as
select distinct on (starts.cluster, starts.cron_job_uid, starts.scheduled_at)
  starts.cluster,
  starts.cron_job_uid,
  starts.namespace,
  starts.cron_job_name,
  starts.scheduled_at,
  starts.decided_at - starts.scheduled_at as late_by,
  starts.words,
  case when seen.uid is null then starts.result else 'created' end as result,
  case when seen.uid is null then starts.error end as error,
  starts.job_name,
  coalesce(starts.job_uid, seen.uid) as job_uid,
  jobs.status,
  jobs.started_at,
  jobs.finished_at,
  jobs.deleted_at
from cron_job_starts starts
left join lateral (
  select events.data->'object'->'metadata'->>'uid' as uid
  from cron_job_events events
  where starts.job_uid is null
    and events.cluster = starts.cluster
    and events.cron_job_uid = starts.cron_job_uid
    and events.type = 'job.observed'
    and events.data->'object'->'metadata'->>'name' = starts.job_name
  limit 1
) seen on true
left join jobs on jobs.cluster = starts.cluster and jobs.uid = coalesce(starts.job_uid, seen.uid)
order by starts.cluster, starts.cron_job_uid, starts.scheduled_at, starts.decided_at desc, starts.decision desc;

comment on column cron_job_runs.result is
  'Result of the last attempt, as in cron_job_starts; created also when the attempt has no known result and the Job was observed.';
comment on column cron_job_starts.result is
  'created; taken: a Job of another controller has the name; gone: the CronJob was gone; failed; skipped: an earlier command of the decision failed; stale: the CronJob had changed since the decision; unknown: the request got no answer and the Job does not exist, so it was never created or is deleted already. Null until there is an outcome, and for good when the worker ended before it.';
