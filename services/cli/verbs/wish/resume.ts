import type { Command } from 'commander';
import { registerWish } from './wish.ts';

export function registerResume(program: Command): void {
  registerWish(program, 'resume', 'let a suspended Job run again');
}
