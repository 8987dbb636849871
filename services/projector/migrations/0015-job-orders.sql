-- no transaction
-- Indexes for lists of Jobs by owner, and in the order of their ends or names.

create index concurrently if not exists jobs_newest_of_owner
  on jobs (owner_name, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc)
  where deleted_at is null and owner_name is not null;

create index concurrently if not exists jobs_in_order_of_end
  on jobs ((coalesce(finished_at, 'infinity')), cluster, uid) where deleted_at is null;

create index concurrently if not exists jobs_in_order_of_name
  on jobs (name collate "C", cluster, uid) where deleted_at is null;
