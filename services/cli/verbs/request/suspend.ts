import type { Command } from 'commander';
import { registerWish } from './request.ts';

export function registerSuspend(program: Command): void {
  registerWish(program, 'suspend', 'stop the pods of a Job until it is resumed');
}
