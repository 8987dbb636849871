import { describe, expect, it } from '@jest/globals';
import type { Command } from '../../../workflows/job/commands.ts';
import { aJob, aRunningPod } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import {
  decideWithOutcomes,
  decisionsAtOnce,
  jobRead,
  successOutcome,
  type AnOutcome,
} from '../../support/outcomes.ts';

const one = { parallelism: 1, completions: 1 };

/** The version that every written status has, though newer ones were seen. */
const OLD = '5';

/** Commands after the first one of this kind are skipped, as the worker does. */
function onlyFor(kind: Command['kind'], outcome: (command: Command) => AnOutcome) {
  return (commands: readonly Command[]): AnOutcome[] => {
    const first = commands.findIndex((command) => command.kind === kind);
    return commands.map((command, at) => {
      if (first >= 0 && at > first) return { kind: 'skipped' };
      return at === first ? outcome(command) : successOutcome(command);
    });
  };
}

describe('a command without an effect on a Job', () => {
  const { state } = given(aJob(one));

  it.each<{ what: string; outcome: (command: Command) => AnOutcome; kind: Command['kind'] }>([
    {
      what: 'a status written at a lower version than an observed version',
      kind: 'WriteStatus',
      outcome: (command) => ({
        kind: 'WriteStatus',
        result: 'written',
        job: jobRead({ version: OLD, ...(command.kind === 'WriteStatus' && { status: command.to }) }),
      }),
    },
    {
      what: 'a status written at a version that was observed with another status',
      kind: 'WriteStatus',
      outcome: (command) => ({
        kind: 'WriteStatus',
        result: 'written',
        job: jobRead({
          version: state.versions.job,
          ...(command.kind === 'WriteStatus' && { status: command.to }),
        }),
      }),
    },
    {
      what: 'a conflict with an older version of the status',
      kind: 'WriteStatus',
      outcome: () => ({
        kind: 'WriteStatus',
        result: 'conflict',
        job: jobRead({ version: OLD, status: { active: 9 } }),
      }),
    },
    {
      what: 'conflicts with ever newer versions',
      kind: 'WriteStatus',
      outcome: () => ({ kind: 'WriteStatus', result: 'conflict', job: jobRead({ status: { active: 9 } }) }),
    },
    {
      what: 'a name that belongs to another pod',
      kind: 'CreatePods',
      outcome: (command) => ({
        kind: 'CreatePods',
        generation: 1,
        pods:
          command.kind === 'CreatePods'
            ? command.pods.map(({ ordinal, name }) => ({ ordinal, name, result: 'taken' as const }))
            : [],
      }),
    },
    {
      what: 'a batch of which nothing was sent',
      kind: 'CreatePods',
      outcome: (command) => ({
        kind: 'CreatePods',
        generation: 1,
        pods:
          command.kind === 'CreatePods'
            ? command.pods.map(({ ordinal, name }) => ({ ordinal, name, result: 'skipped' as const }))
            : [],
      }),
    },
    {
      what: 'a stale decision, although the Job has not changed',
      kind: 'CreatePods',
      outcome: () => ({
        kind: 'stale',
        commandKind: 'CreatePods',
        why: 'the spec has changed',
        job: jobRead({ version: OLD }),
      }),
    },
  ])('does not make the workflow decide without end: $what', ({ kind, outcome }) => {
    expect(decisionsAtOnce(state, onlyFor(kind, outcome))).toBeLessThan(5);
  });

  it('is explained in the reason to wait when the name of a new pod belongs to another pod', () => {
    const { state: after } = decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map((command) =>
          command.kind === 'CreatePods'
            ? {
                kind: 'CreatePods',
                generation: 1,
                pods: command.pods.map(({ ordinal, name }) => ({ ordinal, name, result: 'taken' as const })),
              }
            : { kind: 'skipped' },
        ),
    });
    const { verdict } = givenState(after).when(null);
    expect(verdict.waiting?.message).toMatch(/belongs to another pod$/);
  });
});

describe('a decision about a Job whose command was stale', () => {
  it('is followed at once by a decision about the present Job', () => {
    const { state } = given(aJob({ parallelism: 2, completions: 2 })).and(aRunningPod({ ordinal: 0 }));
    const { state: after } = decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map(({ kind }) =>
          kind === 'CreatePods'
            ? {
                kind: 'stale',
                commandKind: 'CreatePods',
                why: 'the spec has changed',
                job: jobRead({ parallelism: 2, completions: 2, suspend: true, generation: 2 }),
              }
            : { kind: 'skipped' },
        ),
    });
    givenState(after).when(null).thenCommands('-1', 'status', 'event Suspended');
  });

  it('is followed by the release of the pods when the Job does not exist any more', () => {
    const { state } = given(aJob({ parallelism: 2, completions: 2 })).and(aRunningPod({ ordinal: 0 }));
    const { state: after } = decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map(({ kind }) =>
          kind === 'CreatePods'
            ? { kind: 'stale', commandKind: kind, why: 'gone', job: null }
            : { kind: 'skipped' },
        ),
    });
    givenState(after).when(null).thenCommands('~1');
  });
});
