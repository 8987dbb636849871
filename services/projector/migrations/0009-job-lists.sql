-- no transaction
-- Indexes for lists of Jobs, newest first: a page costs the same however many Jobs there are, and the projector goes on
-- writing meanwhile. The lists leave out deleted Jobs unless asked for them, and so do their indexes.

create index concurrently if not exists jobs_newest
  on jobs ((coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;

create index concurrently if not exists jobs_newest_ever
  on jobs ((coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc);

create index concurrently if not exists jobs_newest_of_cluster
  on jobs (cluster, (coalesce(created_at, first_seen_at)) desc, uid desc) where deleted_at is null;

create index concurrently if not exists jobs_newest_of_namespace
  on jobs (namespace, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;

create index concurrently if not exists jobs_newest_by_status
  on jobs (status, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;

create index concurrently if not exists jobs_finished
  on jobs (finished_at) where finished_at is not null;

create index concurrently if not exists jobs_by_label
  on jobs using gin (labels jsonb_path_ops);
