-- no transaction
-- Finds the Jobs that ended before an instant, oldest first.

create index concurrently if not exists jobs_ended
  on jobs (deleted_at) where deleted_at is not null;
