import { isEntry, isStoreError, type KeyValue, type ReadResult, StoreError } from '@unikv/core'

/** Told of the failure to read some of several records. It throws without a listener. */
export type Tell = (error: StoreError) => void

/** The values of keys. If only some can be read, their failure is told, and the values of the others are the answer. */
export async function valuesOf<V>(
  kv: KeyValue<string, V>,
  keys: readonly string[],
  tell: Tell,
): Promise<(V | undefined)[]> {
  try {
    return await kv.getMany(keys)
  } catch (error) {
    if (!isStoreError(error) || error.results?.some((one) => !isStoreError(one)) !== true) throw error
    tell(error)
    return (error.results as readonly ReadResult<V>[]).map((one) => (isEntry(one) ? one.value : undefined))
  }
}

/** Whether there are values. If only some keys can be looked up, as above: the others count as absent. */
export async function existenceOf<V>(
  kv: KeyValue<string, V>,
  keys: readonly string[],
  tell: Tell,
): Promise<boolean[]> {
  // Calls of one turn go to the store as one.
  const looks = await Promise.allSettled(keys.map((key) => kv.has(key)))
  const results = looks.map((one): unknown => (one.status === 'fulfilled' ? one.value : one.reason))
  const failed = looks.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  if (failed.length > 0 && failed.length === keys.length) throw failed[0]
  if (failed.length > 0) {
    const message = `${failed.length} of ${keys.length} keys could not be looked up; see error.results.`
    tell(new StoreError('PARTIAL', message, { results, cause: failed[0] }))
  }
  return results.map((one) => one === true)
}
