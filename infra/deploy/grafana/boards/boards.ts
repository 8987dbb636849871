import type { Board } from './board.ts';
import { COST_AND_WASTE } from './cost-and-waste.ts';
import { FLEET } from './fleet.ts';
import { HEALTH } from './health.ts';
import { LATENESS } from './lateness.ts';
import { ONE_JOB } from './one-job.ts';
import { WAITING } from './waiting.ts';

/** Every dashboard. */
export const BOARDS: readonly Board[] = [FLEET, ONE_JOB, COST_AND_WASTE, WAITING, LATENESS, HEALTH];
