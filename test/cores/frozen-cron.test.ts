import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import * as present from '../../workflows/cron-job/core.ts';
import type { CronCore } from '../../workflows/cores/cores.ts';
import { foldSteps } from '../../workflows/decision/folding.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { DEFAULT_CRON_SETTINGS, type CronSettings } from '../../workflows/cron-job/settings.ts';
import { live, moves, policies } from '../cron-job/life.ts';
import type { World } from '../cron-job/world.ts';
import { firstDifference } from './core-differences.ts';
import { frozenTwin } from './frozen-twin.ts';
import { extent } from '../support/extent.ts';

let worlds: World[];
let frozen: CronCore;

beforeAll(async () => {
  const lives = fc.tuple(policies, moves).map(([policy, drawn]) => live(policy, drawn));
  worlds = fc.sample(lives, { numRuns: extent(50, 150), seed: 7 });
  frozen = await frozenTwin<CronCore>(`cron-core-${present.CORE_VERSION}.js`);
});

/** The ids of the recorded decisions, and of those that a core makes in their place. */
function idsBy(core: CronCore, { stream }: World): { recorded: string[]; again: string[] } {
  const recorded: string[] = [];
  const again: string[] = [];
  for (const { decision, before, events } of foldSteps(stream, core)) {
    const { cluster, cronJobUid, firstRunId, now, settings } = decision.data;
    const decider = { cluster, cronJobUid, subject: decision.subject, firstRunId };
    const state = core.fold(
      before,
      events.flatMap((event) => core.compact(event) ?? []),
    );
    const { decided } = core.decisionRecord(decider, state, core.decide(state, now, settings), now, settings);
    recorded.push(decision.id);
    again.push(decided.id);
  }
  return { recorded, again };
}

function differing(core: CronCore): World[] {
  return worlds.filter((world) => {
    const { recorded, again } = idsBy(core, world);
    return recorded.join() !== again.join();
  });
}

describe('the frozen copy of the present core of CronJobs', () => {
  // An id contains a digest of the whole record, so equal ids mean equal bytes. When this test fails, raise CORE_VERSION
  // and freeze the new core.
  it('makes byte for byte the same decisions on generated streams as the source of the core', () => {
    expect(worlds.flatMap((world) => idsBy(frozen, world).recorded).length).toBeGreaterThan(
      3 * worlds.length,
    );
    expect(differing(frozen)).toEqual([]);
  });

  it('is reported as different after the change of a single word in a rule', () => {
    const changed: CronCore = {
      ...frozen,
      decide(state, now, settings) {
        const verdict = frozen.decide(state, now, settings);
        const commands = verdict.commands.map((command) =>
          command.why.rule === 'J-9.37'
            ? { ...command, why: { ...command.why, message: 'changed' } }
            : command,
        );
        return { ...verdict, commands };
      },
    };
    expect(differing(changed).length).toBeGreaterThan(0);
  });
});

/** With the zones that the decisions of a stream needed. */
function settingsIn(stream: readonly CronJobEvent[]): CronSettings {
  return stream.findLast((event) => event.type === 'cronjob.decided')?.data.settings ?? DEFAULT_CRON_SETTINGS;
}

function differenceIn(stream: readonly CronJobEvent[]): unknown {
  return firstDifference(stream, [settingsIn(stream)], [present, frozen]);
}

describe('the present core of CronJobs after each event', () => {
  it('has the same states and invariant verdicts as its frozen copy in every generated stream', () => {
    const differences = worlds.map(({ stream }) => differenceIn(stream));
    expect(differences.filter((each) => each !== null)).toStrictEqual([]);
  }, 120_000);
});
