import { describe, expect, it } from '@jest/globals';
import { MAX_PODS_IN_COMMAND, type Command } from '../../../workflows/job/commands.ts';
import { trueCondition } from '../../../workflows/batch/conditions.ts';
import { decide } from '../../../workflows/job/decide/decide.ts';
import type { Verdict } from '../../../workflows/job/decide/verdict.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../../workflows/job/state.ts';
import {
  aJob,
  aRunningPod,
  jobDeleted,
  START,
  type JobFields,
  type PodFields,
} from '../../support/builders.ts';

const MORE = 3;
const PODS = MAX_PODS_IN_COMMAND + MORE;
const LATER = START + 120_000;

function withPods(job: JobFields, pod: PodFields = {}): JobState {
  const spec = { parallelism: PODS, completions: PODS };
  const pods = Array.from({ length: PODS }, (_none, at) =>
    aRunningPod({ name: `pi-${at}`, readySince: 1, ...pod }),
  );
  return fold(INITIAL_STATE, [aJob({ ...spec, ...job }), ...pods]);
}

function decided(state: JobState): Verdict {
  return decide(state, LATER, DEFAULT_SETTINGS);
}

function commandPods({ commands }: Verdict, kind: Command['kind']): string[] {
  return commands.flatMap((command) =>
    command.kind === kind && 'pods' in command ? command.pods.map(({ name }) => name) : [],
  );
}

function statusIn({ commands }: Verdict) {
  return commands.find((command) => command.kind === 'WriteStatus')?.to ?? {};
}

/** The same pods, being deleted. */
function deleting(state: JobState, names: readonly string[]): JobState {
  return fold(
    state,
    names.map((name) => aRunningPod({ name, readySince: 1, deleted: 60 })),
  );
}

const running = { startTime: '2026-03-01T12:00:00Z', active: PODS, ready: PODS, terminating: 0 };

describe(`one decision about ${PODS} pods`, () => {
  it('deletes as many pods as a command may name when the Job is suspended, and the next decision deletes the other pods (J-6.41)', () => {
    const state = withPods({ suspend: true, status: running });
    const first = decided(state);
    expect(commandPods(first, 'DeletePods')).toHaveLength(MAX_PODS_IN_COMMAND);
    expect(statusIn(first)).toMatchObject({ active: MORE, ready: MORE, terminating: MAX_PODS_IN_COMMAND });
    const next = decided(deleting(state, commandPods(first, 'DeletePods')));
    expect(commandPods(next, 'DeletePods')).toHaveLength(MORE);
  });

  it('deletes as many pods as a command may name when the Job fails, and a later decision ends the Job (J-3.57, J-4.13)', () => {
    const state = withPods({ activeDeadlineSeconds: 60, status: running });
    const first = decided(state);
    expect(commandPods(first, 'DeletePods')).toHaveLength(MAX_PODS_IN_COMMAND);
    expect(statusIn(first)).toMatchObject({ active: MORE, ready: MORE, terminating: MAX_PODS_IN_COMMAND });
    expect(trueCondition(statusIn(first), 'FailureTarget')).toBeDefined();
    expect(trueCondition(statusIn(first), 'Failed')).toBeUndefined();
    expect(commandPods(first, 'DeletePods')).toEqual(
      expect.arrayContaining(commandPods(first, 'ReleasePods')),
    );
  });

  it('releases as many pods as a command may name when the Job is deleted', () => {
    const state = fold(withPods({}), [jobDeleted()]);
    expect(commandPods(decided(state), 'ReleasePods')).toHaveLength(MAX_PODS_IN_COMMAND);
  });

  it('releases as many pods as a command may name while the Job is being deleted (J-4.4)', () => {
    const state = withPods({ deleting: true, status: running });
    expect(commandPods(decided(state), 'ReleasePods')).toHaveLength(MAX_PODS_IN_COMMAND);
  });

  it('adopts as many pods as a command may name (J-3.32)', () => {
    const state = withPods({ status: running }, { controller: 'none', untracked: true });
    expect(commandPods(decided(state), 'AdoptPods')).toHaveLength(MAX_PODS_IN_COMMAND);
  });
});
