import { describe, expect, it } from '@jest/globals';
import { array, assert, nat, property, record } from 'fast-check';
import type { JobEvent } from '../../workflows/job/events.ts';
import { effectiveDecisions } from '../../workflows/decision/folding.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { appended } from './decisions-made-again.ts';
import { answered, createPods, decided, deletePods, podsCreated, START } from './builders.ts';

interface Made {
  id: string;
  number: number;
  predecessor: string | null;
}

function rowsAfter(events: readonly JobEvent[]): Rows {
  const rows = emptyRows();
  projectAll(rows, events);
  return rows;
}

function supersededIn(made: readonly Made[]): string[] {
  const events = made.map(({ id, number, predecessor }, at) =>
    decided(at, number, { id, ...(predecessor !== null && { predecessor }) }),
  );
  const rows = [...rowsAfter(events).decisions.changed.values()];
  return rows.flatMap(({ id, superseded }) => (superseded ? [id] : [])).toSorted();
}

/** Each number is decided once or several times; the next decision names any one of them. */
function makeDecisions(plan: readonly { again: number; named: number }[]): {
  made: Made[];
  counting: string[];
} {
  const made: Made[] = [];
  const counting: string[] = [];
  plan.forEach(({ again, named }, before) => {
    const number = before + 1;
    const predecessor = counting.at(-1) ?? null;
    const all = Array.from({ length: again + 1 }, (_none, at) => `${number}-${at}`);
    made.push(...all.map((id) => ({ id, number, predecessor })));
    const isLast = number === plan.length;
    counting.push(`${number}-${isLast ? again : named % all.length}`);
  });
  return { made, counting };
}

describe('a decision that is made again', () => {
  it('is superseded unless the next decision names it as its predecessor or, without a next decision, it was made last', () => {
    const step = array(nat({ max: 3 }), { minLength: 2, maxLength: 2 });
    assert(
      property(array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const { made, counting } = makeDecisions(steps.map(([again = 0, named = 0]) => ({ again, named })));
        const others = made.map(({ id }) => id).filter((id) => !counting.includes(id));
        expect(supersededIn(made)).toEqual(others.toSorted());
      }),
    );
  });

  it('is superseded exactly when the replay of the stream does not count it, in whatever order decisions were appended', () => {
    const step = record({ back: nat({ max: 3 }), late: nat({ max: 2 }) });
    assert(
      property(array(step, { minLength: 1, maxLength: 9 }), (steps) => {
        const events = appended(steps);
        const effective = new Set(effectiveDecisions(events).map(({ id }) => id));
        const { jobs, decisions } = rowsAfter(events);
        const rows = [...decisions.changed.values()];
        expect(rows.map(({ id, superseded }) => ({ id, superseded }))).toEqual(
          events.map(({ id }) => ({ id, superseded: !effective.has(id) })),
        );
        expect([...jobs.changed.values()][0]?.last_decision).toBe([...effective].at(-1));
      }),
    );
  });

  it('does not change the recorded wait of the Job when it is appended after the next decision', () => {
    const late = decided(0, 1, { id: 'late', waiting: { rule: 'J-5.40', message: 'back-off' } });
    const { jobs, decisions } = rowsAfter([decided(1, 1, {}), decided(2, 2, {}), late]);
    expect([...jobs.changed.values()][0]).toMatchObject({
      decision_count: 3,
      last_decision_number: 2,
      waiting_rule: null,
    });
    expect([...decisions.changed.values()].find(({ id }) => id === 'late')?.superseded).toBe(true);
  });
});

describe('a command of a decision in the tables', () => {
  const command = decided(1, 1, { commands: [createPods('a', 'b'), deletePods('too many', 'c')] });
  const commandsAfter = (...events: JobEvent[]) => [
    ...rowsAfter([command, ...events]).commands.changed.values(),
  ];

  it('has its rule and text, and no outcome yet', () => {
    expect(commandsAfter()).toMatchObject([
      { command: 0, kind: 'CreatePods', rule: 'J-5.12', pod_count: 2, last_attempt: 0, outcome_at: null },
      { command: 1, kind: 'DeletePods', rule: 'J-5.20', message: 'too many', pod_count: 1, last_attempt: 0 },
    ]);
  });

  it('has its outcome, with the error if there is one', () => {
    const error = { status: 403, reason: 'Forbidden', message: 'exceeded quota' };
    const failed = { ordinal: 1, name: 'b', result: 'failed', error } as const;
    const partly = answered(2, 'decision-1', 0, {
      kind: 'CreatePods',
      generation: 1,
      pods: [failed],
      at: START + 2000,
    });
    const skipped = answered(2, 'decision-1', 1, { kind: 'skipped', at: START + 2000 });
    expect(commandsAfter(partly, skipped)).toMatchObject([
      { last_attempt: 1, error: 'exceeded quota', result: null },
      { last_attempt: 1, error: null, result: 'skipped' },
    ]);
  });

  it('has no row when only an outcome, and no decision, names it', () => {
    expect(commandsAfter(answered(3, 'decision-7', 0, podsCreated(3, 'a')))).toHaveLength(2);
  });
});
