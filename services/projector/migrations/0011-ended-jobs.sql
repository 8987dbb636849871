-- no transaction
-- Finds the Jobs that ended before an instant, oldest first.

create index concurrently if not exists jobs_ended
  on jobs (deleted_at) where deleted_at is not null;
-- Labels have many values: in a small sample a label that many Jobs have may seem rare, and all of them would be read.
alter table jobs alter column labels set statistics 1000;
