/**
 * Expands `$(NAME)` to the value of NAME and `$$` to one dollar sign; an unknown name stays unexpanded.
 * These are Kubernetes' rules for command, args and env values.
 */
export function expand(text: string, findValue: (name: string) => string | undefined): string {
  // The text up to the last `)` closes every reference in it, so the expression reads a text with many unclosed `$(`
  // only once.
  const end = text.lastIndexOf(')') + 1;
  const expanded = text.slice(0, end).replaceAll(REFERENCE, (written: string, name: string | undefined) => {
    if (name === undefined) return '$';
    return findValue(name) ?? written;
  });
  return expanded + text.slice(end).replaceAll('$$', () => '$');
}

const REFERENCE = /\$(?:\$|\(([^)]*)\))/g;
