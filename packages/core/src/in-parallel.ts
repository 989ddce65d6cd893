/** Run a task for each item, at most `width` at a time; the results are in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  if (items.length <= width) return Promise.all(items.map(run))
  const results: R[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i] as T, i)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
