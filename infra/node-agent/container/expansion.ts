/**
 * `$(NAME)` becomes the value of NAME, `$$` one dollar; a name that is not known stays as it is written.
 * The rules of Kubernetes for command, args and env values.
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (written: string, name: string | undefined) => {
    if (name === undefined) return '$';
    return valueOf(name) ?? written;
  });
}
