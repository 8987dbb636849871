/** The first items of a list, and the number of the remaining items. */
export function fewText(list: readonly string[], most = 10): string {
  if (list.length <= most) return list.join(', ');
  return `${list.slice(0, most).join(', ')} and ${list.length - most} more`;
}
