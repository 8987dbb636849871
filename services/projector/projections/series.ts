import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { findController } from '../../../workflows/kubernetes/controller.ts';

/**
 * A part of a name that distinguishes one run from the next run: a number of four digits or more, a time such as
 * 20261127t0300z, or a hexadecimal id.
 */
const RUN = /^(?:\d{4,}(?:t\d{2,6})?z?|(?=[a-f]*\d)[\da-f]{8,})$/;
/** The parts of a date with dashes and a time, such as 2026-11-27-03-00. */
const DATE = [/^\d{4}$/, /^\d{2}$/, /^\d{2}t?$/, /^\d{2}$/, /^\d{2}$/, /^\d{2}z?$/];
const [SHORTEST_DATE, LONGEST_DATE] = [3, DATE.length];

/**
 * The name of the series of a Job: the name of the object that controls the Job, or the name of the Job without its
 * generated end and without the parts that identify the run.
 */
export function jobSeries({ metadata }: Job): string {
  const owner = findController(metadata);
  if (owner !== undefined) return owner.name;
  const { name, generateName = '' } = metadata;
  const isGenerated = generateName !== '' && name.startsWith(generateName);
  return removeRun(isGenerated ? generateName : name) || name;
}

/** The name without the parts at its end that identify the run; empty when no other part is left. */
function removeRun(name: string): string {
  const parts = name.split(/[-.]/);
  let left = parts.length;
  for (let run = countRunParts(parts, left); run > 0; run = countRunParts(parts, left)) left -= run;
  return name.slice(0, parts.slice(0, left).join('-').length);
}

/**
 * Considers the first `left` parts of a name, and returns how many of the last ones identify the run. The last part of
 * a `generateName` such as `load-` is empty and counts as one.
 */
function countRunParts(parts: readonly string[], left: number): number {
  if (left === 0) return 0;
  for (let length = Math.min(LONGEST_DATE, left); length >= SHORTEST_DATE; length -= 1)
    if (DATE.slice(0, length).every((part, at) => part.test(parts[left - length + at] ?? ''))) return length;
  const last = parts[left - 1] ?? '';
  return last === '' || RUN.test(last) ? 1 : 0;
}
