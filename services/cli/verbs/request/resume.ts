import type { Command } from 'commander';
import { registerWish } from './request.ts';

export function registerResume(program: Command): void {
  registerWish(program, 'resume', 'let a suspended Job run again');
}
