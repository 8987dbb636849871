-- no transaction
-- Indexes for lists and counts of Jobs by state and reason, and of deleted Jobs with the others.

create index concurrently if not exists jobs_by_state
  on jobs (state, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) include (active, deleted_at);

create index concurrently if not exists jobs_by_reason
  on jobs ((regexp_replace(reason, ' ×[0-9]+', '', 'g')), (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc)
  where reason is not null;

create index concurrently if not exists jobs_newest_ever_of_namespace
  on jobs (namespace, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc);

create index concurrently if not exists jobs_newest_ever_of_cluster
  on jobs (cluster, (coalesce(created_at, first_seen_at)) desc, uid desc);

create index concurrently if not exists jobs_ever_in_order_of_end
  on jobs ((coalesce(finished_at, 'infinity')), cluster, uid);

create index concurrently if not exists jobs_ever_in_order_of_name
  on jobs (name collate "C", cluster, uid);
