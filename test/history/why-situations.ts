import type { Question } from '../../workflows/history/why/types.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import { at, JOB_NAME, JOB_UID } from '../support/builders.ts';
import { aRecording, type Recording } from './a-recording.ts';
import { aRunJob, aSlowJob, failingFirst } from './stories.ts';

/** A stream and a question about it; the answer is the golden file of its name. */
export interface Situation {
  name: string;
  events: () => Promise<readonly JobEvent[]>;
  question: Question;
}

const FIRST = podName({ uid: JOB_UID, name: JOB_NAME }, 0);
const IGNORE = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] };
const FAIL_JOB = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] };
const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
const GANG = { schedulingPolicy: { gang: {} } };
const NEW_API = { gangScheduling: 'v1beta1' } as const;
const JOB: Question = { about: 'job' };

/**
 * The story of a Job with one running pod, and how it continues. By default the question is about the last decision.
 */
function createSituation(
  name: string,
  go: (recording: Recording) => void,
  { question, ...settings }: { question?: Question } & Parameters<typeof aRecording>[0] = {},
): Situation {
  const recording = aRecording(settings);
  go(recording);
  const last = recording.state.last?.number ?? 0;
  return {
    name,
    events: () => Promise.resolve(recording.events),
    question: question ?? { about: 'decision', number: last },
  };
}

function running(recording: Recording, fields: Parameters<Recording['job']>[1] = {}): void {
  recording.job(0, { completions: 1, ...fields });
  recording.decides(0);
  recording.pod(1, { ordinal: 0, created: 0 });
}

/** Suspended, and waits for the Job "extract". */
function chained(recording: Recording): void {
  recording.job(0, { completions: 1, suspend: true, annotations: { 'jobledger.dev/after': 'extract' } });
  recording.awaits(0.1, { name: 'extract', uid: 'uid-of-extract' });
  recording.decides(0.2);
}

function failed(recording: Recording, fields: Parameters<Recording['job']>[1] = {}): void {
  running(recording, fields);
  recording.pod(5, { ordinal: 0, created: 0, phase: 'Failed', finished: 5 });
}

/** For each kind of command, a situation that asks why it was given. */
export const BY_COMMAND: Readonly<Record<Command['kind'], Situation>> = {
  CreatePods: {
    name: 'pod-created-after-two-failures',
    events: () => aRunJob({ completions: 1 }, failingFirst(2)),
    question: { about: 'pod', pod: podName({ uid: JOB_UID, name: JOB_NAME }, 2) },
  },
  DeletePods: createSituation('pods-deleted-by-suspension', (recording) => {
    running(recording);
    recording.job(9, { suspend: true, generation: 2 });
    recording.decides(10);
  }),
  ReleasePods: createSituation('pod-released-with-its-count', (recording) => {
    failed(recording);
    recording.decides(6);
  }),
  AdoptPods: createSituation('orphan-adopted', (recording) => {
    running(recording);
    recording.pod(7, { name: 'orphan', controller: 'none', untracked: true });
    recording.decides(8);
  }),
  DisownPods: createSituation('relabelled-pod-let-go', (recording) => {
    running(recording);
    recording.pod(7, { ordinal: 0, created: 0, labels: { app: 'other' } });
    recording.decides(8);
  }),
  WriteStatus: { name: 'job-complete', events: () => aRunJob({ completions: 2 }), question: JOB },
  EmitEvents: createSituation('event-of-an-end', (recording) => {
    running(recording);
    recording.pod(5, { ordinal: 0, created: 0, phase: 'Succeeded', finished: 5 });
    recording.decides(6);
  }),
  SetSuspend: createSituation('suspend-asked-for', (recording) => {
    running(recording);
    recording.asks(4, 'suspend');
    recording.decides(4);
  }),
  RefuseRequest: createSituation('resume-refused', (recording) => {
    running(recording);
    recording.asks(4, 'resume');
    recording.decides(4);
  }),
  LookUpJob: createSituation('job-looked-up', (recording) => {
    recording.pod(1, { name: 'leftover' });
    recording.decides(2);
  }),
  LookUpPods: createSituation('lost-pod-looked-up', (recording) => {
    recording.job(0, { completions: 1 });
    recording.decides(0);
    recording.decides(61);
  }),
  DeleteJob: createSituation(
    'finished-job-deleted',
    (recording) => {
      running(recording, { ttlSecondsAfterFinished: 30 });
      recording.pod(5, { ordinal: 0, created: 0, phase: 'Succeeded', finished: 5 });
      recording.decides(6);
      recording.decides(7);
      recording.decides(36);
    },
    { controllers: ['job', 'ttl'] },
  ),
  EnsureGang: createSituation(
    'gang-ensured',
    (recording) => {
      recording.job(0, INDEXED);
      recording.decides(0);
    },
    { gangScheduling: 'served' },
  ),
  LookUpOrphans: createSituation('orphans-looked-up', (recording) => {
    recording.job(0, { completions: 1, manualSelector: true });
    recording.decides(0);
  }),
};

/** For each kind of wait, by its rule and what is held back. */
export const BY_WAITING = {
  'J-5.40': createSituation('waits-for-back-off', (recording) => {
    failed(recording);
    recording.decides(6);
  }),
  'J-5.44': {
    name: 'waits-for-back-off-of-an-index',
    events: () => aRunJob({ ...INDEXED, backoffLimitPerIndex: 2 }, failingFirst(1)),
    question: JOB,
  },
  'J-10.2': createSituation(
    'waits-for-time-to-live',
    (recording) => {
      running(recording, { ttlSecondsAfterFinished: 30 });
      recording.pod(5, { ordinal: 0, created: 0, phase: 'Succeeded', finished: 5 });
      recording.decides(6);
      recording.decides(7);
    },
    { controllers: ['job', 'ttl'] },
  ),
  'J-6.39': createSituation('waits-for-terminating-pods', (recording) => {
    running(recording, { activeDeadlineSeconds: 20 });
    recording.decides(20);
  }),
  'J-3.50': createSituation('waits-for-a-known-completion-mode', (recording) => {
    recording.job(0, { completionMode: 'Sometimes' });
    recording.decides(0);
  }),
  'J-3.2 CreatePods': createSituation('waits-after-refused-creation', (recording) => {
    recording.job(0, { completions: 1 });
    recording.decides(0, ['CreatePods']);
    recording.decides(0.2);
  }),
  'J-3.2 DeletePods': createSituation('waits-after-refused-deletion', (recording) => {
    running(recording);
    recording.job(9, { suspend: true, generation: 2 });
    recording.decides(10, ['DeletePods']);
    recording.decides(10.2);
  }),
  'J-3.2 DeletePods of the end': createSituation('waits-after-refused-deletion-of-the-end', (recording) => {
    running(recording, { activeDeadlineSeconds: 20 });
    recording.decides(20, ['DeletePods']);
    recording.decides(20.2);
  }),
  'J-3.2 WriteStatus': createSituation('waits-after-refused-status', (recording) => {
    failed(recording);
    recording.decides(6, ['WriteStatus']);
    recording.decides(6.2);
  }),
  'J-3.2 AdoptPods': createSituation('waits-after-refused-adoption', (recording) => {
    running(recording);
    recording.pod(7, { name: 'orphan', controller: 'none', untracked: true });
    recording.decides(8, ['AdoptPods']);
    recording.decides(8.2);
  }),
  'J-3.2 LookUpOrphans': createSituation('waits-after-refused-look-up', (recording) => {
    recording.job(0, { completions: 1, manualSelector: true });
    recording.decides(0, ['LookUpOrphans']);
    recording.decides(0.2);
  }),
  'J-3.2 EnsureGang': createSituation(
    'waits-after-refused-gang',
    (recording) => {
      recording.job(0, INDEXED);
      recording.decides(0, ['EnsureGang']);
      recording.decides(0.2);
    },
    { gangScheduling: 'served' },
  ),
  'J-3.2 DeleteJob': createSituation(
    'waits-after-refused-deletion-of-the-job',
    (recording) => {
      running(recording, { ttlSecondsAfterFinished: 30 });
      recording.pod(5, { ordinal: 0, created: 0, phase: 'Succeeded', finished: 5 });
      recording.decides(6);
      recording.decides(36, ['DeleteJob']);
      recording.decides(36.2);
    },
    { controllers: ['job', 'ttl'] },
  ),
  'J-3.2 ReleasePods after the end': createSituation('waits-after-refused-release', (recording) => {
    running(recording);
    recording.jobGone(9);
    recording.decides(10, ['ReleasePods']);
    recording.decides(10.2);
  }),
} satisfies Readonly<Record<string, Situation>>;

/** Another client edits the annotation with the index of a running pod. */
function editedIndex(recording: Recording): void {
  recording.job(0, INDEXED);
  recording.decides(0);
  const name = podName({ uid: JOB_UID, name: JOB_NAME }, 0, 0);
  recording.pod(1, { name, index: 0, created: 0 });
  recording.pod(5, { name, index: 1, created: 0 });
  recording.decides(5);
}

/** Other commands that were not given, and facts of Jobs and pods. Together they cover every rule that the core has. */
export const OTHERS: readonly Situation[] = [
  createSituation('index-edited', editedIndex, { question: { about: 'index', index: 0 } }),
  createSituation('index-edited-reported', editedIndex),
  createSituation(
    'one-active-one-terminating',
    (recording) => {
      recording.job(0, { completions: 4, parallelism: 2 });
      recording.decides(0);
      recording.pod(1, { ordinal: 0, created: 0 });
      recording.pod(1, { ordinal: 1, created: 0 });
      recording.job(4, { completions: 4, parallelism: 1, generation: 2 });
      recording.decides(4);
    },
    { question: JOB },
  ),
  createSituation(
    'pod-back-off-and-gap',
    (recording) => {
      failed(recording);
      recording.decides(6);
      recording.gap(7, 12);
      recording.decides(15);
    },
    { question: { about: 'pod', pod: podName({ uid: JOB_UID, name: JOB_NAME }, 1) } },
  ),
  createSituation(
    'job-submitted',
    (recording) => {
      recording.job(0, { completions: 1 });
      recording.submitted(0, { uid: 'uid-of-earlier', name: 'earlier' });
      recording.decides(0);
    },
    { question: JOB },
  ),
  createSituation(
    'job-suspended',
    (recording) => {
      running(recording);
      recording.job(9, { suspend: true, generation: 2 });
      recording.decides(10);
    },
    { question: JOB },
  ),
  createSituation(
    'job-with-a-deadline',
    (recording) => {
      running(recording, { activeDeadlineSeconds: 300, completions: 4, parallelism: 1 });
      recording.decides(2);
    },
    { question: JOB },
  ),
  createSituation(
    'suspend-refused-by-the-api',
    (recording) => {
      running(recording);
      recording.asks(4, 'suspend');
      recording.decides(4, ['SetSuspend']);
      recording.decides(4.2);
      recording.decides(5);
    },
    { question: JOB },
  ),
  createSituation('member-ended-with-its-placed-job', (recording) => {
    const part = { ...INDEXED, parallelism: 1 };
    recording.job(0, { ...part, annotations: { 'jobledger.dev/indexes': '1:0' } });
    recording.decides(0);
    recording.pod(1, { index: 0, ordinal: 0, created: 0 });
    recording.job(4, { ...part, annotations: { 'jobledger.dev/indexes': '2::Failed' } });
    recording.decides(4);
  }),
  createSituation('resume-asked-for', (recording) => {
    recording.job(0, { completions: 1, suspend: true });
    recording.decides(0);
    recording.asks(4, 'resume');
    recording.decides(4);
  }),
  createSituation('resumed-by-the-end-of-another', (recording) => {
    chained(recording);
    recording.awaits(9, {
      name: 'extract',
      uid: 'uid-of-extract',
      end: { type: 'Complete', reason: 'CompletionsReached', at: at(8) },
    });
    recording.decides(9);
  }),
  createSituation(
    'waits-for-another-job',
    (recording) => {
      chained(recording);
      recording.awaits(5, {
        name: 'extract',
        uid: 'uid-of-extract',
        end: { type: 'Failed', reason: 'BackoffLimitExceeded', at: at(4) },
      });
      recording.decides(5);
    },
    { question: JOB },
  ),
  createSituation(
    'job-of-another',
    (recording) => {
      recording.job(0, { managedBy: 'example.com/other' });
    },
    { question: JOB },
  ),
  createSituation('pod-freed-that-lost-its-owner', (recording) => {
    running(recording);
    recording.pod(7, { ordinal: 0, created: 0, controller: 'none', labels: { app: 'other' } });
    recording.decides(8);
  }),
  createSituation('pods-freed-after-the-end', (recording) => {
    running(recording);
    recording.jobGone(9);
    recording.decides(10);
  }),
  createSituation('scaled-down', (recording) => {
    recording.job(0, { completions: 4, parallelism: 2 });
    recording.decides(0);
    recording.job(3, { parallelism: 1, generation: 2 });
    recording.decides(4);
  }),
  createSituation('ended-by-a-stored-condition', (recording) => {
    running(recording);
    recording.job(5, {
      status: { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'X', message: 'failing' }] },
    });
    recording.decides(6);
  }),
  {
    name: 'deadline-passed',
    events: () => aSlowJob(60, { completions: 1, activeDeadlineSeconds: 20 }),
    question: JOB,
  },
  {
    name: 'too-many-failures',
    events: () => aRunJob({ completions: 1, backoffLimit: 1 }, failingFirst(9)),
    question: JOB,
  },
  {
    name: 'failed-by-policy',
    events: () => aRunJob({ completions: 1, podFailurePolicy: FAIL_JOB }, failingFirst(1)),
    question: JOB,
  },
  {
    name: 'failure-ignored',
    events: () => aRunJob({ completions: 1, podFailurePolicy: IGNORE }, failingFirst(1)),
    question: { about: 'pod', pod: FIRST },
  },
  {
    name: 'indexes-failed',
    events: () => aRunJob({ ...INDEXED, backoffLimitPerIndex: 0 }, failingFirst(1)),
    question: JOB,
  },
  {
    name: 'success-policy-met',
    events: () => aRunJob({ ...INDEXED, parallelism: 1, successPolicy: { rules: [{ succeededCount: 1 }] } }),
    question: JOB,
  },
  createSituation('too-many-restarts', (recording) => {
    running(recording, { restartPolicy: 'OnFailure', backoffLimit: 2 });
    recording.pod(5, { ordinal: 0, created: 0, restarts: 2 });
    recording.decides(6);
  }),
  createSituation('misplaced-pod-deleted', (recording) => {
    recording.job(0, { ...INDEXED, completions: 3, parallelism: 2 });
    recording.decides(0);
    recording.pod(3, { name: 'stray', index: 7 });
    recording.decides(4);
  }),
  createSituation('failed-pods-beyond-the-limit', (recording) => {
    failed(recording, { annotations: { 'jobledger.dev/failed-pods-limit': '0' } });
    recording.decides(6);
    recording.pod(7, { ordinal: 0, created: 0, phase: 'Failed', finished: 5, untracked: true });
    recording.decides(8);
  }),
  createSituation('start-event-asked-for', (recording) => {
    recording.job(0, { completions: 1, annotations: { 'jobledger.dev/start-and-finish-events': 'true' } });
    recording.decides(0);
  }),
  createSituation(
    'gang-of-a-started-job-looked-up',
    (recording) => {
      recording.job(0, { ...INDEXED, status: { startTime: '2026-03-01T11:00:00Z' } });
      recording.decides(0);
    },
    { gangScheduling: 'served' },
  ),
  createSituation(
    'pod-group-ensured',
    (recording) => {
      recording.job(0, { completions: 1 });
      recording.decides(0);
    },
    NEW_API,
  ),
  createSituation(
    'pod-group-of-an-owner-ensured',
    (recording) => {
      const annotations = { 'scheduling.k8s.io/group-template-name': 'workers' };
      recording.job(0, { completions: 1, owner: 'parent', annotations });
      recording.decides(0);
    },
    NEW_API,
  ),
  createSituation(
    'pod-group-of-a-started-job-looked-up',
    (recording) => {
      recording.job(0, { completions: 1, status: { startTime: '2026-03-01T11:00:00Z' } });
      recording.decides(0);
    },
    NEW_API,
  ),
  createSituation(
    'gang-resized',
    (recording) => {
      recording.job(0, { parallelism: 3, scheduling: GANG });
      recording.decides(0);
      recording.job(1, { parallelism: 5, generation: 2 });
      recording.decides(2);
    },
    NEW_API,
  ),
  createSituation(
    'gang-created-again-after-an-upgrade',
    (recording) => {
      recording.job(0, INDEXED);
      recording.decides(0);
      recording.under(NEW_API);
      recording.decides(1);
    },
    { gangScheduling: 'served' },
  ),
  createSituation(
    'gang-not-served',
    (recording) => {
      recording.job(0, { parallelism: 3, scheduling: GANG });
      recording.decides(0);
    },
    { gangScheduling: 'not-served' },
  ),
  createSituation('invalid-annotation', (recording) => {
    recording.job(0, { completions: 1, annotations: { 'jobledger.dev/backoff-seconds': 'soon' } });
    recording.decides(0);
  }),
];
