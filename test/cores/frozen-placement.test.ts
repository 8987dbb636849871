import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PlacementCore } from '../../workflows/cores/cores.ts';
import { isSameJson } from '../../workflows/ledger/digest.ts';
import * as present from '../../workflows/placement/core.ts';
import type { Model } from '../placement/model.ts';
import { aRoughLife } from '../placement/rough-life.ts';
import { frozenTwin } from './frozen-twin.ts';

let lives: Model[];
let frozen: PlacementCore;

beforeAll(async () => {
  lives = Array.from({ length: 60 }, (_none, seed) => deleted(aRoughLife(seed).model));
  frozen = await frozenTwin<PlacementCore>(`placement-core-${present.CORE_VERSION}.js`);
});

/** The life, to its end: a cluster is cut off while the Job and its members are deleted. */
function deleted(model: Model): Model {
  model.cut('west', true);
  model.change(({ metadata }) => {
    metadata.deletionTimestamp = new Date(model.now()).toISOString();
  });
  model.pass(30);
  model.cut('west', false);
  model.pass(60);
  return model;
}

/** The lives in which a core folds or decides otherwise than the present one. */
function differing({ fold, decide }: Pick<PlacementCore, 'fold' | 'decide'>): Model[] {
  return lives.filter(
    ({ folds, looks }) =>
      !folds.every(({ state, events }) => isSameJson(fold(state, events), present.fold(state, events))) ||
      !looks.every(({ state, now, settings }) =>
        isSameJson(decide(state, now, settings), present.decide(state, now, settings)),
      ),
  );
}

describe('the frozen copy of the present core of placed Jobs', () => {
  // When this test fails, raise CORE_VERSION and freeze the new core.
  it('makes byte for byte the same decisions on generated streams as the source of the core', () => {
    expect(lives.flatMap(({ decisions }) => decisions).length).toBeGreaterThan(500);
    expect(isSameJson(frozen.INITIAL_STATE, present.INITIAL_STATE)).toBe(true);
    expect(differing(frozen)).toEqual([]);
  });

  it('is reported as different after the change of a single word in a rule', () => {
    const changed: typeof frozen.decide = (state, now, settings) => {
      const verdict = frozen.decide(state, now, settings);
      const commands = verdict.commands.map((command) =>
        command.why.rule === 'J-16.12'
          ? { ...command, why: { ...command.why, message: 'changed' } }
          : command,
      );
      return { ...verdict, commands };
    };
    expect(differing({ fold: frozen.fold, decide: changed }).length).toBeGreaterThan(0);
  });
});
