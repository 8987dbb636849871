/** One SQL text with its values, not yet run. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Builds a statement from a template: whatever stands in `${}` is sent as a value, never as SQL. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Statement {
  const text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
  return { text, values };
}
