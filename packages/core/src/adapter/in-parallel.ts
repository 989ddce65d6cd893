/**
 * Run a task for each item, at most `width` at a time; the results are in the order of the items. If a task rejects, no further
 * one begins, and the error is told when all that began have ended.
 */
export function inParallel<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  // Most calls have one item, and a promise more costs as much as they do.
  if (items.length === 1) return run(items[0] as T, 0).then((result) => [result])
  return items.length <= width ? allOf(items.map(run)) : inLanes(items, width, run)
}

async function inLanes<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    try {
      for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i] as T, i)
    } catch (error) {
      next = items.length
      throw error
    }
  }
  await allOf(Array.from({ length: width }, lane))
  return results
}

/** As `Promise.all`, but an error is told when all have ended. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  return Promise.all(work).catch(async (error: unknown) => {
    await Promise.allSettled(work)
    throw error
  })
}
