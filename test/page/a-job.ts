import type { JobDetails, ListedJob, ListedPod } from '../../page/api/rows.ts';

/** The start of the Jobs of these tests. */
export const START = Date.parse('2026-11-21T03:00:00Z');

/** An instant that many seconds later, as the API has it. */
export function after(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

/** A Job of the API that runs; only what the page reads. */
export function aListedJob(fields: Partial<JobDetails> = {}): JobDetails {
  const job: Partial<JobDetails> = {
    cluster: 'east',
    namespace: 'team-a',
    name: 'report',
    uid: 'uid-report',
    claimed: true,
    managed_by: 'jobledger.dev/job-controller',
    kubectl_status: 'Running',
    status: 'Running',
    reason: null,
    waiting_for: null,
    waiting_until: null,
    completion_mode: null,
    completions: 1,
    parallelism: 1,
    backoff_limit: 3,
    backoff_limit_per_index: null,
    active_deadline_seconds: null,
    suspend: false,
    active: 1,
    ready: 1,
    terminating: 0,
    succeeded: 0,
    failed: 0,
    failed_indexes: null,
    labels: {},
    owner_kind: null,
    owner_name: null,
    created_at: after(0),
    started_at: after(0),
    finished_at: null,
    deleted_at: null,
    conditions: [],
    chain: [],
    who: [],
    obstacles: [],
    member: false,
    placed_in: null,
    home: null,
    ...fields,
  };
  return job as JobDetails;
}

/** The same as a row of the fleet. */
export function aRow(fields: Partial<ListedJob> = {}): ListedJob {
  return aListedJob(fields);
}

/** A pod that ended with this exit code. */
export function aPod(name: string, fields: Partial<ListedPod> = {}): ListedPod {
  const pod: Partial<ListedPod> = {
    uid: `uid-${name}`,
    name,
    completion_index: null,
    phase: 'Running',
    exit_code: null,
    reason: null,
    end_message: null,
    creation_message: null,
    node: null,
    restarts: 0,
    restarted: null,
    container: null,
    created_at: after(0),
    started_at: after(1),
    first_ready_at: null,
    finished_at: null,
    deleted_at: null,
    ...fields,
  };
  return pod as ListedPod;
}

/** A pod that was killed because of its memory. */
export function aKilledPod(name: string, index: number, seconds = 10): ListedPod {
  return aPod(name, {
    completion_index: index,
    phase: 'Failed',
    exit_code: 137,
    reason: 'OOMKilled',
    end_message: 'exit code 137 (OOMKilled)',
    created_at: after(seconds - 9),
    finished_at: after(seconds),
  });
}
