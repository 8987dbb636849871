import { afterAll, beforeAll } from '@jest/globals';
import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import { decisionRecords, isNewsBy } from '../../workflows/decision/decision-records.ts';
import type { Reason } from '../../workflows/decision/reason.ts';

const VERSION: string = '0';
const { present } = JOB_CORES;

/** An invented core of Jobs before the present one: it decides the same, and gives some reasons in other words. */
export const CORE_BEFORE: Core = {
  ...present,
  CORE_VERSION: VERSION as Core['CORE_VERSION'],
  decide(state, now, settings) {
    const { commands, waiting, ...verdict } = present.decide(state, now, settings);
    return {
      ...verdict,
      commands: commands.map((command) => ({ ...command, why: reworded(command.why) })),
      waiting: waiting === null ? null : reworded(waiting),
    };
  },
  isNews: (state, verdict) => isNewsBy(VERSION, state, verdict),
  decisionRecord(decider, state, verdict, now, settings) {
    const { commands, nextDecisionAt, waiting } = verdict;
    const origin = { type: 'job' as const, uid: decider.jobUid, core: VERSION };
    return decisionRecords(origin, decider, state, { commands, nextDecisionAt, waiting }, { now, settings });
  },
};

function reworded({ rule, message }: Reason): Reason {
  return { rule, message: rule === 'J-5.13' ? `${message} (core ${VERSION})` : message };
}

/**
 * For the tests of a block, as if it had been frozen: what it decided is verified by it. The cores are loaded once for all test files of a
 * process, so it is removed afterwards.
 */
export function addEarlierCore(): void {
  const cores = JOB_CORES.all as Core[];
  beforeAll(() => void cores.unshift(CORE_BEFORE));
  afterAll(() => void cores.splice(cores.indexOf(CORE_BEFORE), 1));
}
