import { expect } from '@jest/globals';
import type { Command, CreatePods } from '../../workflows/job/commands.ts';
import type { Compacted } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import { decisionRecord } from '../../workflows/job/record/decision-record.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import type { Verdict } from '../../workflows/job/decide/verdict.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { DECIDER, START } from './builders.ts';
import { commandNotation } from './given-notation.ts';

export interface Given {
  state: JobState;
  /** Appends events, in this order. */
  and(...facts: readonly Compacted[]): Given;
  under(settings: Partial<Settings>): Given;
  /** Appends events, then decides this many seconds after the start. */
  when(event: Fact | null, moment?: { after: number }): Outcome;
}

export interface Outcome {
  state: JobState;
  verdict: Verdict;
  /** The decision is recorded and has no outcomes yet. */
  recorded(): Given;
  /** The commands in the notation of the decision table. */
  thenCommands(...words: string[]): Outcome;
  /** Fields of the written status. */
  thenStatus(fields: JobStatus): Outcome;
  /** Seconds after the start; null when time alone changes nothing. */
  thenLookAgain(seconds: number | null): Outcome;
  /** The rule of the wait and, where given, its text. */
  thenWaitsBy(rule: string | null, message?: string): Outcome;
  /** The Events that are sent: `Normal Suspended: Job suspended`. */
  thenReports(...events: string[]): Outcome;
  /** Rule and text of each command, in order: `J-6.41: the Job is suspended`. */
  thenBecause(...reasons: string[]): Outcome;
}

/** A Job as first observed. */
export function given(job: Fact): Given {
  return givenBy(() => fold(INITIAL_STATE, [job]), DEFAULT_SETTINGS);
}

export function givenState(state: JobState, settings = DEFAULT_SETTINGS): Given {
  return givenBy(() => state, settings);
}

/** Folds only when a test asks, so that coverage of the core can be attributed to tests. */
function givenBy(stateNow: () => JobState, settings: Settings): Given {
  return {
    get state() {
      return stateNow();
    },
    and: (...facts) => givenBy(() => fold(stateNow(), facts), settings),
    under: (others) => givenBy(stateNow, { ...settings, ...others }),
    when(event, { after } = { after: 0 }) {
      const next = event === null ? stateNow() : fold(stateNow(), [event]);
      return createOutcome(next, START + after * 1000, settings);
    },
  };
}

function createOutcome(state: JobState, now: number, settings: Settings): Outcome {
  const verdict = decide(state, now, settings);
  const outcome: Outcome = {
    state,
    verdict,
    recorded() {
      const { decided } = decisionRecord(DECIDER, state, verdict, now, settings);
      return givenBy(() => fold(state, [decided]), settings);
    },
    thenCommands(...words) {
      expect(verdict.commands.map(commandNotation)).toStrictEqual(words);
      return outcome;
    },
    thenStatus(fields) {
      expect(writtenStatus(verdict)).toMatchObject(fields);
      return outcome;
    },
    thenLookAgain(seconds) {
      const { nextDecisionAt } = verdict;
      expect(nextDecisionAt === null ? null : (nextDecisionAt - START) / 1000).toBe(seconds);
      return outcome;
    },
    thenWaitsBy(rule, message) {
      expect(verdict.waiting?.rule ?? null).toBe(rule);
      if (message !== undefined) expect(verdict.waiting?.message).toBe(message);
      return outcome;
    },
    thenReports(...events) {
      expect(verdict.commands.flatMap(eventTexts)).toStrictEqual(events);
      return outcome;
    },
    thenBecause(...reasons) {
      expect(verdict.commands.map(({ why }) => `${why.rule}: ${why.message}`)).toStrictEqual(reasons);
      return outcome;
    },
  };
  return outcome;
}

function eventTexts(command: Command): string[] {
  if (command.kind !== 'EmitEvents') return [];
  return command.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

/** The pods that a verdict creates. */
export function creationsIn({ commands }: Pick<Verdict, 'commands'>): CreatePods['pods'] {
  return commands.flatMap((each) => (each.kind === 'CreatePods' ? each.pods : []));
}

/** The names of the pods that it deletes. */
export function deletionsIn({ commands }: Pick<Verdict, 'commands'>): string[] {
  return commands.flatMap((each) => (each.kind === 'DeletePods' ? each.pods.map(({ name }) => name) : []));
}

/** The status that a verdict writes. */
export function writtenStatus({ commands }: Verdict): JobStatus {
  const write = commands.find((command) => command.kind === 'WriteStatus');
  if (write === undefined)
    throw new Error(`no status is written by: ${commands.map(commandNotation).join(', ')}`);
  return write.to;
}
