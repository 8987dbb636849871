import type { Rule } from './rule.ts';

/** A rule of docs/rules.md, and what it means in this case, as text. */
export interface Reason {
  rule: Rule;
  message: string;
}
