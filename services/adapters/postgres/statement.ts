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
