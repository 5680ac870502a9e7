/** Paths of fields in errors: `a.properties[b].items`. */

export function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
