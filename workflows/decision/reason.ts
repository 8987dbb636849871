import type { Rule } from './rule.ts';

/** A rule of docs/rules.md, and its meaning in this case, as text. */
export interface Reason {
  rule: Rule;
  message: string;
}
