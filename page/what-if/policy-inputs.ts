/**
 * The fields of a Job's spec that can be varied, as the form shows them. Fields without `choices` and `isJson` are
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

/** The changes that the filled fields ask for, as the API takes them: `backoffLimit=3`. */
export function toChanges(values: ReadonlyMap<string, string>): string[] {
  return POLICY_INPUTS.flatMap(({ field }) => {
    const value = values.get(field)?.trim() ?? '';
    return value === '' ? [] : [`${field}=${value}`];
  });
}

/** The value that each change gives its field: the reverse of `toChanges`. */
export function toValues(changes: readonly string[]): Map<string, string> {
  return new Map(
    changes.flatMap((change) => {
      const [, field, value] = /^(?:spec\.)?(\w+)=(.*)$/s.exec(change) ?? [];
      return field === undefined || value === undefined ? [] : [[field, value] as const];
    }),
  );
}
