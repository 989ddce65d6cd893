/** The same items, each read while the one before is worked on. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let next = settled(iterator)
  try {
    for (;;) {
      const { error, result } = await next
      if (error !== undefined) throw error.reason
      if (result === undefined || result.done === true) return
      next = settled(iterator)
      yield result.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

interface Settled<T> {
  readonly error?: { readonly reason: unknown }
  readonly result?: IteratorResult<T>
}

/** The next item, or why there is none. It never rejects: the reader may have left. */
async function settled<T>(iterator: AsyncIterator<T>): Promise<Settled<T>> {
  try {
    return { result: await iterator.next() }
  } catch (reason) {
    return { error: { reason } }
  }
}
