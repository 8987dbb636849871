/** One SQL text with its values, not yet run. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Builds a statement from a template: each `${}` is sent as a parameter, never as SQL. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Statement {
  const text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
  return { text, values };
}

/**
 * The sum of a column of integers, as an integer of Postgres. Tenants may write any numbers, so the sum is limited to
 * the largest integer.
 */
export function cappedSum(column: string): string {
  return `least(coalesce(sum(${column}), 0), ${MOST})::integer`;
}

/** The largest integer of Postgres. */
const MOST = 2 ** 31 - 1;
