-- Jobs that ended before the horizon are removed. What is asked about an earlier instant has no complete answer any more.

alter table retention add column horizon timestamptz;

comment on column retention.horizon is
  'Jobs that ended before then are removed from all tables, whenever they are read ("jobledger retention --ended-before"). Null while there is no horizon.';

create function horizon() returns timestamptz
language sql stable parallel safe
begin atomic
  select retention.horizon from retention;
end;
comment on function horizon() is
  'Jobs that ended before this instant were removed; null when none were. The functions that answer for an instant refuse earlier ones with SQLSTATE JL001.';

-- Bodies of this language look names up when they run, so these are qualified.
create function requires_horizon(at timestamptz) returns boolean
language plpgsql stable parallel safe
as $$
declare
  horizon timestamptz := jobledger.horizon();
begin
  if at < horizon then
    raise exception 'the instant % is before the horizon %: Jobs that ended before the horizon were removed', at, horizon
      using errcode = 'JL001',
        hint = 'ask for an instant from jobledger.horizon() on; the ledger still has the events: jobledger replay JOB --at INSTANT';
  end if;
  return true;
end;
$$;
comment on function requires_horizon(timestamptz) is
  'True for an instant from the horizon on; an earlier one is an error with SQLSTATE JL001.';

create or replace function job_as_of(cluster text, namespace text, name text, at timestamptz) returns setof job_statuses
language plpgsql stable parallel safe
as $$
begin
  return query
  select known.*
  from (
    select seen.*
    from jobledger.jobs
    cross join lateral jobledger.job_seen(jobs.cluster, jobs.uid, $4) seen
    where jobs.cluster = $1 and jobs.namespace = $2 and jobs.name = $3
      and jobs.first_seen_at <= $4
    order by seen.deleted, jobs.created_at desc nulls last, seen.seen_at desc
    limit 1
  ) known
  -- The Job that existed then is the answer. Where none did, one that had the name may have been removed.
  where not known.deleted or jobledger.requires_horizon($4);
  if not found then
    perform jobledger.requires_horizon($4);
  end if;
end;
$$;
comment on function job_as_of(text, text, text, timestamptz) is
  'Status of one Job as observed by an instant. Of several Jobs with the same name, the one that existed then, else the one created last. No row when none was observed by then; an error (SQLSTATE JL001) when it may have been removed because it ended before jobledger.horizon().';

create or replace function jobs_as_of(at timestamptz) returns setof job_statuses
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $1) seen
  where requires_horizon($1)
    and jobs.first_seen_at <= $1 and (jobs.deleted_at is null or jobs.deleted_at > $1)
    and not seen.deleted;
end;
comment on function jobs_as_of(timestamptz) is
  'Status of every Job that existed at an instant, as observed by then; an error (SQLSTATE JL001) for an instant before jobledger.horizon().';
