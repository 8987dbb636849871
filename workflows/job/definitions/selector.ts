import type { LabelSelector } from '../../kubernetes/objects.ts';

/**
 * True when labels match a selector as the API defines it, except that an empty selector matches nothing, because a
 * Job's selector is never empty.
 */
export function matchesSelector(selector: LabelSelector, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return false;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => matchesExpression(expression, labels[expression.key]))
  );
}

/** True when the value of a label meets one expression of a selector. */
function matchesExpression(
  { operator, values }: { operator: string; values?: string[] },
  value: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values?.includes(value) === true;
    case 'NotIn':
      return value === undefined || values?.includes(value) !== true;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
