// Rules of Jobs on a real API server. These files share one installation (test/support/played-cluster.ts), because
// starting the servers takes longer than the cases of one file.
// oxlint-disable import/no-unassigned-import -- each file registers its tests
import './job-rules/success-policy.ts';
import './job-rules/pod-failure-policy.ts';
import './job-rules/pod-replacement.ts';
import './job-rules/indexed-jobs.ts';
import './job-rules/ownership.ts';
import './job-rules/lost-pods.ts';
import './job-rules/status-contract.ts';
import './job-rules/suspend-and-resume.ts';
import './job-rules/creation-failures.ts';
import './job-rules/costs.ts';
