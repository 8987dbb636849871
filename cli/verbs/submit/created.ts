import { Option } from 'commander';
import type { z } from 'zod';
import type { createdSchema } from '../../../services/api/schemas/job.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';

export type Created = z.infer<typeof createdSchema>;
export type CreatedOutput = 'json' | 'name';

/** The option with the output format for created Jobs. */
export function createdOutput(): Option {
  return new Option('-o, --output <format>', 'print the created Jobs as JSON, or only their names').choices([
    'json',
    'name',
  ]);
}

/** Prints a created or validated Job. */
export function writeCreated(created: Created, output: CreatedOutput | undefined): void {
  if (output === 'json') writeJson(created);
  else if (output === 'name') write(fullName(created));
  else write(`${fullName(created)} ${created.dry_run ? 'is valid' : 'created'}`);
}

/** Prints the created Jobs, also those that were created before a refused Job. */
export async function writeAsList(created: AsyncIterable<Created>): Promise<void> {
  const all: Created[] = [];
  try {
    for await (const each of created) all.push(each);
  } finally {
    writeJson(all);
  }
}
