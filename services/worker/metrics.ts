import { INVARIANTS, withheldIn } from '../../workflows/decision/invariants/broken.ts';
import { doublingBounds, type Labels, type Metrics } from '../adapters/metrics/metrics.ts';
import { showLastOccurrence } from '../consumers/dead-letters.ts';
import type { Cited, CountDecision, CountRules } from './activities/carry-out-kinds.ts';
import type { CountedFault } from './activities/report-fault.ts';
import { measureDecision, type Metric } from './measure.ts';
import { dropOldest } from '../adapters/drop-oldest.ts';

/** The most decisions that are remembered. The number suffices because repeats come within seconds. */
const REMEMBERED = 10_000;

/** Returns the function that counts the rules of a decision. */
export function ruleCounter(metrics: Metrics): CountRules {
  const decisions = metrics.counter({
    name: 'jobledger_decisions_total',
    help: 'Decisions that were carried out, by each rule that they cite.',
    labels: ['rule'],
  });
  const withheld = metrics.counter({
    name: 'jobledger_withheld_decisions_total',
    help: 'Decisions whose creations were withheld, by each invariant that they break.',
    labels: ['invariant'],
  });
  // The counters start with 0, so that an alert sees the first increase.
  for (const invariant of INVARIANTS) withheld({ invariant }, 0);
  const counted = new Set<string>();
  return ({ id, data }) => {
    if (counted.has(id)) return false;
    counted.add(id);
    dropOldest(counted, REMEMBERED);
    for (const rule of citedRules(data)) decisions({ rule });
    for (const { invariant } of withheldIn(data)) withheld({ invariant });
    return true;
  };
}

export function decisionCounter(metrics: Metrics, count: CountRules): CountDecision {
  const record = jobControllerMetrics(metrics);
  return ({ sync, decided }, outcomes, seconds) => {
    if (!count(decided)) return;
    for (const { metric, labels, value } of measureDecision(
      { sync, commands: decided.data.commands, outcomes },
      seconds,
    ))
      record[metric](labels, value);
  };
}

/** Counts runs that cannot decide, and runs that are slowed down. */
export function faultCounter(metrics: Metrics): (fault: CountedFault) => void {
  const count = metrics.counter({
    name: 'jobledger_faulty_runs_total',
    help: 'Runs that cannot decide about their object because of a bug.',
    labels: [],
  });
  const slowed = metrics.counter({
    name: 'jobledger_decision_loops_total',
    help: 'Runs that decided the same again and again, and were slowed down.',
    labels: [],
  });
  const seen = showLastOccurrence(metrics, {
    name: 'jobledger_last_faulty_run_timestamp_seconds',
    help: 'Time at which a run that cannot decide was last found, counting a namespace once a day; 0 if none was found since the process started.',
  });
  count({}, 0);
  slowed({}, 0);
  return ({ cluster, namespace, goesOn }) => {
    if (goesOn) return slowed({});
    count({});
    seen(`${cluster}/${namespace}`);
  };
}

/** Shows the delay between the time of a start and the creation of its Job (J-11.4). */
export function showCreationSkew(metrics: Metrics): (seconds: number) => void {
  const observe = metrics.histogram({
    name: 'cronjob_controller_job_creation_skew_duration_seconds',
    help: 'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
    labels: [],
    buckets: doublingBounds(1, 10),
  });
  return (seconds) => observe({}, seconds);
}

/** The rules that a decision cites. Each rule counts once, even if several commands cite the rule. */
function citedRules({ commands, waiting }: Cited): Set<string> {
  const reasons = [...commands.map(({ why }) => why), ...(waiting === null ? [] : [waiting])];
  return new Set(reasons.map(({ rule }) => rule));
}

type Recorders = Record<Metric, (labels: Labels, value: number) => void>;

/**
 * The metrics of the Job controller. Names, labels and buckets are equal to upstream (J-11.1, J-11.4), so that
 * upstream's dashboards and alerts work.
 */
function jobControllerMetrics(metrics: Metrics): Recorders {
  const counter = (name: Metric, help: string, ...labels: string[]) =>
    metrics.counter({ name, help, labels });
  const histogram = (name: Metric, help: string, buckets: number[], ...labels: string[]) =>
    metrics.histogram({ name, help, buckets, labels });
  const sync = ['completion_mode', 'result', 'action'];
  return {
    job_controller_job_sync_duration_seconds: histogram(
      'job_controller_job_sync_duration_seconds',
      'The time it took to sync a job.',
      doublingBounds(0.004, 15),
      ...sync,
    ),
    job_controller_job_syncs_total: counter(
      'job_controller_job_syncs_total',
      'The number of job syncs.',
      ...sync,
    ),
    job_controller_jobs_finished_total: counter(
      'job_controller_jobs_finished_total',
      'The number of finished jobs.',
      'completion_mode',
      'result',
      'reason',
    ),
    job_controller_job_pods_finished_total: counter(
      'job_controller_job_pods_finished_total',
      'The number of finished pods that are counted in the status of their job.',
      'completion_mode',
      'result',
    ),
    job_controller_pod_failures_handled_by_failure_policy_total: counter(
      'job_controller_pod_failures_handled_by_failure_policy_total',
      'The number of failed pods that a rule of the pod failure policy decided on, by its action.',
      'action',
    ),
    job_controller_job_finished_indexes_total: counter(
      'job_controller_job_finished_indexes_total',
      'The number of finished indexes; backoffLimit is perIndex or global.',
      'status',
      'backoffLimit',
    ),
    job_controller_job_pods_creation_total: counter(
      'job_controller_job_pods_creation_total',
      'The number of pods created, by reason and status.',
      'reason',
      'status',
    ),
    ttl_after_finished_controller_job_deletion_duration_seconds: histogram(
      'ttl_after_finished_controller_job_deletion_duration_seconds',
      'The time between the expiry of a job and its deletion.',
      doublingBounds(0.1, 14),
    ),
  };
}
