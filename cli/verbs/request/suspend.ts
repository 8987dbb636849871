import type { Command } from 'commander';
import { registerUserRequest } from './request.ts';

export function registerSuspend(program: Command): void {
  registerUserRequest(program, 'suspend', 'stop the pods of a Job until it is resumed');
}
