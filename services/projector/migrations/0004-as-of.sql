-- The status of Jobs as it had been seen by an instant. Bodies are bound when they are defined, not looked up by name.

create function status_word(object jsonb) returns text
language sql immutable parallel safe
begin atomic
  select case
    when object -> 'status' -> 'conditions' @> '[{"type": "Complete", "status": "True"}]' then 'Complete'
    when object -> 'status' -> 'conditions' @> '[{"type": "Failed", "status": "True"}]' then 'Failed'
    when object -> 'metadata' ->> 'deletionTimestamp' is not null then 'Terminating'
    when object -> 'status' -> 'conditions' @> '[{"type": "Suspended", "status": "True"}]' then 'Suspended'
    when object -> 'status' -> 'conditions' @> '[{"type": "FailureTarget", "status": "True"}]' then 'FailureTarget'
    when object -> 'status' -> 'conditions' @> '[{"type": "SuccessCriteriaMet", "status": "True"}]' then 'SuccessCriteriaMet'
    else 'Running'
  end;
end;
comment on function status_word(jsonb) is 'One word for the status of a Job object, as kubectl shows it.';

create function job_seen(job_cluster text, job_uid text, at timestamptz)
returns table (
  cluster text,
  uid text,
  namespace text,
  name text,
  status text,
  suspend boolean,
  parallelism integer,
  completions integer,
  active integer,
  ready integer,
  terminating integer,
  succeeded integer,
  failed integer,
  started_at timestamptz,
  completed_at timestamptz,
  conditions jsonb,
  resource_version numeric,
  seen_at timestamptz,
  event_id text,
  deleted boolean
)
language sql stable parallel safe
begin atomic
  select
    seen.cluster,
    seen.job_uid,
    seen.namespace,
    seen.job_name,
    status_word(seen.data -> 'object'),
    coalesce((seen.data #>> '{object,spec,suspend}')::boolean, false),
    (seen.data #>> '{object,spec,parallelism}')::integer,
    (seen.data #>> '{object,spec,completions}')::integer,
    coalesce((seen.data #>> '{object,status,active}')::integer, 0),
    coalesce((seen.data #>> '{object,status,ready}')::integer, 0),
    coalesce((seen.data #>> '{object,status,terminating}')::integer, 0),
    coalesce((seen.data #>> '{object,status,succeeded}')::integer, 0),
    coalesce((seen.data #>> '{object,status,failed}')::integer, 0),
    (seen.data #>> '{object,status,startTime}')::timestamptz,
    (seen.data #>> '{object,status,completionTime}')::timestamptz,
    coalesce(seen.data #> '{object,status,conditions}', '[]'::jsonb),
    seen.resource_version,
    seen.time,
    seen.id,
    exists (
      select from events gone
      where gone.cluster = job_seen.job_cluster and gone.job_uid = job_seen.job_uid
        and gone.type = 'job.deleted' and gone.time <= job_seen.at
        and gone.resource_version >= seen.resource_version
    )
  from events seen
  where seen.cluster = job_seen.job_cluster and seen.job_uid = job_seen.job_uid
    and seen.type in ('job.observed', 'job.deleted') and seen.data ? 'object'
    and seen.time <= job_seen.at
  order by seen.resource_version desc, seen.kafka_offset desc
  limit 1;
end;
comment on function job_seen(text, text, timestamptz) is
  'Status of the Job with this UID as it had been seen by an instant; no row when nothing had been seen of it.';

create function job_as_of(cluster text, namespace text, name text, at timestamptz)
returns table (
  cluster text,
  uid text,
  namespace text,
  name text,
  status text,
  suspend boolean,
  parallelism integer,
  completions integer,
  active integer,
  ready integer,
  terminating integer,
  succeeded integer,
  failed integer,
  started_at timestamptz,
  completed_at timestamptz,
  conditions jsonb,
  resource_version numeric,
  seen_at timestamptz,
  event_id text,
  deleted boolean
)
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $4) seen
  where jobs.cluster = $1 and jobs.namespace = $2 and jobs.name = $3
    and jobs.first_seen_at <= $4
  order by seen.deleted, jobs.created_at desc nulls last, seen.seen_at desc
  limit 1;
end;
comment on function job_as_of(text, text, text, timestamptz) is
  'Status of one Job as it had been seen by an instant. Of several Jobs of one name it is the one that then existed, else the one created last. No row when none had been seen.';

create function jobs_as_of(at timestamptz)
returns table (
  cluster text,
  uid text,
  namespace text,
  name text,
  status text,
  suspend boolean,
  parallelism integer,
  completions integer,
  active integer,
  ready integer,
  terminating integer,
  succeeded integer,
  failed integer,
  started_at timestamptz,
  completed_at timestamptz,
  conditions jsonb,
  resource_version numeric,
  seen_at timestamptz,
  event_id text,
  deleted boolean
)
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $1) seen
  where jobs.first_seen_at <= $1 and (jobs.deleted_at is null or jobs.deleted_at > $1)
    and not seen.deleted;
end;
comment on function jobs_as_of(timestamptz) is
  'Status of every Job that existed at an instant, as it had been seen by then.';
