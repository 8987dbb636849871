-- no transaction
-- What the counts and the histogram of Jobs read, so that they read a fifteenth of the table. Postgres reads an expression from
-- an index alone only when the index also has the columns of the expression.

create index concurrently if not exists jobs_counted
  on jobs ((coalesce(created_at, first_seen_at)))
  include (created_at, first_seen_at, finished_at, deleted_at, state, active, cluster, namespace);
