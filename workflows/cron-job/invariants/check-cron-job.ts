import type { CronCommand } from '../commands.ts';
import type { CronJobState } from '../state.ts';
import type { BrokenInvariant } from '../../decision/invariants/broken.ts';
import { cronFallingTime } from './cron-falling-time.ts';
import { cronStartAfterAnUnknownOne } from './cron-start-after-an-unknown-one.ts';
import { cronStartBesideAnother } from './cron-start-beside-another.ts';
import { cronStartTwice } from './cron-start-twice.ts';
import { cronUnrecordedUid } from './cron-unrecorded-uid.ts';

/** The invariants that commands of a CronJob break. */
export function checkCronJob(state: CronJobState, commands: readonly CronCommand[]): BrokenInvariant[] {
  return [
    ...cronStartTwice(state, commands),
    ...cronStartBesideAnother(state, commands),
    ...cronStartAfterAnUnknownOne(state, commands),
    ...cronUnrecordedUid(state, commands),
    ...cronFallingTime(commands),
  ];
}
