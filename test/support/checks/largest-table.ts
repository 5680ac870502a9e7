/** How large the largest map or set of the engine gets to which some work adds: it is copied, whole,
 * whenever it doubles. */
export function largestTable(work: () => void): number {
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  let most = 0;
  Map.prototype.set = function counted(this: Map<unknown, unknown>, key: unknown, value: unknown) {
    most = Math.max(most, this.size + 1);
    return set.call(this, key, value);
  } as typeof set;
  Set.prototype.add = function counted(this: Set<unknown>, value: unknown) {
    most = Math.max(most, this.size + 1);
    return add.call(this, value);
  } as typeof add;
  try {
    work();
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
  return most;
}
