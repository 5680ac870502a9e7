/** What a caught value says: its message, or itself as text where something else was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
