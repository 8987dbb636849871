import type { Board } from './board.ts';
import { FLEET } from './fleet.ts';
import { HEALTH } from './health.ts';
import { ONE_JOB } from './one-job.ts';

/** Every dashboard. */
export const BOARDS: readonly Board[] = [FLEET, ONE_JOB, HEALTH];
