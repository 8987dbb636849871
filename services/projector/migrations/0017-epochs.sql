-- Versions of a cluster begin anew when its API server is restored from an older copy. Columns of versions hold their order.

comment on column events.resource_version is
  'resourceVersion of the observed or deleted object, plus 10^30 for each time the API server was restored from an older copy before; null for other events.';
comment on column jobs.resource_version is
  'resourceVersion of the newest observation, plus 10^30 for each restore of the API server before it; 0 before the first.';
comment on column pods.resource_version is
  'resourceVersion of the newest observation, plus 10^30 for each restore of the API server before it; 0 before the first.';
comment on column conditions.resource_version is
  'resourceVersion of the Job with the change, plus 10^30 for each restore of the API server before it.';
comment on column job_statuses.resource_version is
  'metadata.resourceVersion, plus 10^30 for each restore of the API server before it.';
comment on column cron_job_events.resource_version is
  'resourceVersion of the observed or deleted object, plus 10^30 for each restore of the API server before; null for other events.';
comment on column cron_jobs.resource_version is
  'metadata.resourceVersion, plus 10^30 for each restore of the API server before it; 0 when the CronJob was never observed.';
comment on column cron_job_versions.resource_version is
  'metadata.resourceVersion, plus 10^30 for each restore of the API server before it.';
comment on column gaps.resource is
  'jobs, pods or cronjobs; all: the API server was restored from an older copy.';
