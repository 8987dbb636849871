import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { outcomeId } from '../../workflows/decision/decision-id.ts';
import { compact } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import { decisionRecord } from '../../workflows/job/record/decision-record.ts';
import type { OutcomeRecorded, JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import {
  aJob,
  answered,
  anEndedPod,
  aPod,
  CLUSTER,
  JOB_UID,
  jobObserved,
  podObserved,
  START,
} from '../projector/builders.ts';

const DECIDER = { cluster: CLUSTER, jobUid: JOB_UID, subject: 'default/pi', firstRunId: 'chain-1' };

/** A Job workflow without Temporal: it folds events, decides, and records both. */
export interface Recorder {
  stream: JobEvent[];
  state: JobState;
  append(...events: JobEvent[]): void;
  /** Decides that many seconds after the start, and continues from that decision unless it will be superseded. */
  decide(at: number, superseded?: boolean): JobDecided;
}

export function aRecorder(firstRunId = DECIDER.firstRunId): Recorder {
  const recorder: Recorder = {
    stream: [],
    state: INITIAL_STATE,
    append(...events) {
      recorder.stream.push(...events);
      recorder.state = fold(
        recorder.state,
        events.map((event) => compact(event)).filter((fact) => fact !== null),
      );
    },
    decide(at, superseded = false) {
      const now = START + at * 1000;
      const verdict = decide(recorder.state, now, DEFAULT_SETTINGS);
      const { folded, decided } = decisionRecord(
        { ...DECIDER, firstRunId },
        recorder.state,
        verdict,
        now,
        DEFAULT_SETTINGS,
      );
      const time = new Date(now).toISOString();
      const record: JobDecided = { ...decided, time };
      recorder.stream.push(...folded.map((part) => ({ ...part, time })), record);
      if (!superseded) recorder.state = fold(recorder.state, [record]);
      return record;
    },
  };
  return recorder;
}

/** The outcome of a command, with its id. */
export function anAnswer(
  at: number,
  decision: JobDecided,
  command: number,
  outcome: object,
): OutcomeRecorded {
  const event = answered(at, decision.id, command, {
    ...outcome,
    at: START + at * 1000,
  } as never) as OutcomeRecorded;
  return withDigest({ ...event, id: outcomeId(decision.id, command, event.data) });
}

/** A Job of ours whose only pod is created, fails and is counted; one decision is made twice. */
export function aRecordedJob(): JobEvent[] {
  const recorder = aRecorder();
  recorder.append(jobObserved(1, aJob({ version: 5, spec: { managedBy: 'jobledger.dev/job-controller' } })));
  recorder.decide(1.5, true);
  const first = recorder.decide(2);
  const creation = first.data.commands.findIndex(({ kind }) => kind === 'CreatePods');
  const command = first.data.commands[creation];
  const name = command?.kind === 'CreatePods' ? (command.pods[0]?.name ?? '') : '';
  recorder.append(
    anAnswer(3, first, creation, {
      kind: 'CreatePods',
      generation: 1,
      pods: [{ ordinal: 0, name, result: 'created', uid: `uid-${name}`, resourceVersion: '10' }],
    }),
  );
  const metadata = {
    finalizers: ['jobledger.dev/job-tracking'],
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'pi', uid: JOB_UID, controller: true }],
  };
  recorder.append(podObserved(4, aPod({ name, version: 11, metadata })));
  recorder.decide(5);
  recorder.append(podObserved(30, anEndedPod({ name, version: 20, exitCode: 3, endedAt: 29, metadata })));
  recorder.decide(31);
  return recorder.stream;
}
