import type { Command } from 'commander';
import { registerUserRequest } from './request.ts';

export function registerResume(program: Command): void {
  registerUserRequest(program, 'resume', 'let a suspended Job run again');
}
