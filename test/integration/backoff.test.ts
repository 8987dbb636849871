// Rules of the back-off on a real API server; see job-rules.test.ts.
// oxlint-disable import/no-unassigned-import -- each file registers its tests
import './job-rules/backoff-limit.ts';
import './job-rules/backoff-limit-per-index.ts';
