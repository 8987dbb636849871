import { approvalAfter, breakingAfter } from '../../decision/invariants/approval.ts';
import { foldOutcome } from './evolve-outcome.ts';
import { foldAwaited, foldChainEvents } from './evolve-chain.ts';
import { enterEpoch } from './evolve-epoch.ts';
import { foldJob, foldJobGone } from './evolve-job.ts';
import { foldPod, foldPodGone } from './evolve-pod.ts';
import { foldRequest } from '../../decision/user-requests.ts';
import type { Compacted } from '../observe/compact.ts';
import type { Command, CommandOf } from '../commands.ts';
import { awaitedCounter, toDraft, toState, type Draft } from './draft.ts';
import type { DecisionContent } from '../events.ts';
import type { JobState } from '../state.ts';

/** Folds one fact, decision or outcome. The function never throws an error, and a repeat changes nothing. */
export function evolve(state: JobState, event: Compacted): JobState {
  return fold(state, [event]);
}

/** Folds events in order. Returns a new state, and does not change the given state. */
export function fold(state: JobState, events: readonly Compacted[]): JobState {
  const draft = toDraft(state);
  for (const event of events) foldInto(draft, event);
  return toState(draft);
}

/** Folds a fact, a decision or an outcome into the draft. */
function foldInto(draft: Draft, event: Compacted): void {
  if (event.type === 'job.decided') return foldDecision(draft, event.id, event.data);
  if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
}

/** Folds the content of a fact, a request or an outcome; returns false for a repeat. */
function foldContent(draft: Draft, event: Exclude<Compacted, { type: 'job.decided' }>): boolean {
  if (event.type !== 'outcome.recorded' && !enterEpoch(draft, event)) return false;
  switch (event.type) {
    case 'job.observed':
      return foldJob(draft, event.job);
    case 'job.deleted':
      return foldJobGone(draft, event.resourceVersion);
    case 'pod.observed':
      return foldPod(draft, event.pod);
    case 'pod.deleted':
      return foldPodGone(draft, event);
    case 'request.received':
      return foldRequest(draft, event);
    case 'awaited-job.observed':
      return foldAwaited(draft, event.awaited);
    case 'outcome.recorded':
      foldOutcome(draft, event.data);
      return true;
  }
}

/** Folds the content of a decision: its commands become the pending commands. */
function foldDecision(draft: Draft, id: string, content: DecisionContent): void {
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.approval = approvalAfter(draft.approval, content);
  draft.breaking = breakingAfter(draft.breaking, content);
  draft.pending = content.commands;
  draft.decidedIn = draft.epoch;
  draft.folded = [];
  excludeFromCount(draft, content.commands);
  for (const command of content.commands) {
    if (command.kind === 'EmitEvents' && command.invalid !== undefined) draft.warned = command.invalid;
    if (command.kind === 'WriteStatus') noteStart(draft, command);
  }
  foldChainEvents(draft, content.commands);
}

/**
 * Remembers a decided start, even while its status cannot be written, because the deadline counts from this start
 * (J-6.5).
 */
function noteStart(draft: Draft, { from, to }: CommandOf<'WriteStatus'>): void {
  if (from.startTime === undefined) draft.startedAt ??= to.startTime ?? null;
}

/**
 * Excludes the pods that commands delete because the Job succeeds from the count. The exclusion begins with the
 * decision, even when the end of a pod is observed before the outcome (J-4.17), because such pods must not make a Job
 * fail that met its success policy.
 */
function excludeFromCount(draft: Draft, commands: readonly Command[]): void {
  for (const command of commands) {
    if (command.kind !== 'DeletePods' || command.excluded !== true) continue;
    for (const { uid } of command.pods) {
      const pod = draft.pods[uid];
      if (pod !== undefined && awaitedCounter(draft, uid) === undefined)
        draft.pods[uid] = { ...pod, excluded: true };
    }
  }
}
