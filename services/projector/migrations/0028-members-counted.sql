-- no transaction
-- The index of counts, with the column that they leave members out by. It serves earlier versions too.

create index concurrently if not exists jobs_counted_once
  on jobs ((coalesce(created_at, first_seen_at)))
  include (created_at, first_seen_at, finished_at, deleted_at, state, active, member, cluster, namespace);

drop index concurrently if exists jobs_counted;
