/**
 * Expands `$(NAME)` to the value of NAME and `$$` to one dollar sign; an unknown name stays unexpanded.
 * These are Kubernetes' rules for command, args and env values.
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (written: string, name: string | undefined) => {
    if (name === undefined) return '$';
    return valueOf(name) ?? written;
  });
}
