import { compiledProgram } from '../services/adapters/process/package-dir.ts';

/** The command that runs a program of Jobledger as a separate process, from any working directory. */
export function nodeCommand(program: string): { file: string; args: string[] } {
  return { file: process.execPath, args: [compiledProgram(program)] };
}
