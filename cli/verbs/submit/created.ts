import { Option } from 'commander';
import { z } from 'zod';
import { fullName } from '../../../services/read-model/find-job.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';

/** The API's response about a Job that was created, or would be. */
export const createdSchema = z.object({
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  managed_by: z.string().nullable(),
  created_at: z.string(),
  dry_run: z.boolean(),
});

export type CreatedOutput = 'json' | 'name';

export function createdOutput(): Option {
  return new Option('-o, --output <format>', 'print the created Jobs: as JSON, or only the names').choices([
    'json',
    'name',
  ]);
}

export function writeCreated(
  created: z.infer<typeof createdSchema>,
  output: CreatedOutput | undefined,
): void {
  if (output === 'json') writeJson(created);
  else if (output === 'name') write(fullName(created));
  else write(`${fullName(created)} ${created.dry_run ? 'is valid' : 'created'}`);
}
