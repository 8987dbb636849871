-- What a cluster serves: its version alone does not say it.

alter table clusters add column apis jsonb;
comment on column clusters.apis is
  'The versions of the API groups batch, scheduling.k8s.io and admissionregistration.k8s.io that it serves; null when it does not say, and before this version recorded it.';
comment on column clusters.version is 'Version of its API server when it was last connected or had changed.';
