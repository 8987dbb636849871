/**
 * The fields of a Job's spec that the form can change. Fields without `choices` and `isJson` are
 * whole numbers.
 */
export const POLICY_INPUTS: readonly {
  field: string;
  choices?: readonly string[];
  isJson?: boolean;
}[] = [
  { field: 'backoffLimit' },
  { field: 'activeDeadlineSeconds' },
  { field: 'parallelism' },
  { field: 'completions' },
  { field: 'backoffLimitPerIndex' },
  { field: 'maxFailedIndexes' },
  { field: 'podReplacementPolicy', choices: ['TerminatingOrFailed', 'Failed'] },
  { field: 'podFailurePolicy', isJson: true },
  { field: 'successPolicy', isJson: true },
];

/** The changes from the filled fields, in the notation of the API, such as `backoffLimit=3`. */
export function toChanges(values: ReadonlyMap<string, string>): string[] {
  return POLICY_INPUTS.flatMap(({ field }) => {
    const value = values.get(field)?.trim() ?? '';
    return value === '' ? [] : [`${field}=${value}`];
  });
}

/** The value of each changed field; the inverse of `toChanges`. */
export function toValues(changes: readonly string[]): Map<string, string> {
  return new Map(
    changes.flatMap((change) => {
      const [, field, value] = /^(?:spec\.)?(\w+)=(.*)$/s.exec(change) ?? [];
      return field === undefined || value === undefined ? [] : [[field, value] as const];
    }),
  );
}
