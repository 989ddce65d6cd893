import { type KeyValue, supports } from '@unikv/core'

/**
 * Delete a key, and tell whether there was a value. A store that does not tell is asked before: of two callers at once
 * both may hear `true`.
 */
export async function deleted<V>(kv: KeyValue<string, V>, key: string): Promise<boolean> {
  if (supports(kv, 'existed')) return (await kv.delete(key)).existed
  // One after the other: if the read fails, nothing is deleted.
  const existed = await kv.has(key)
  await kv.delete(key)
  return existed
}

/** The same of several keys, with one call where the store tells. A key that is named twice is there once. */
export async function deletedMany<V>(kv: KeyValue<string, V>, keys: readonly string[]): Promise<boolean[]> {
  const distinct = [...new Set(keys)]
  const existed = supports(kv, 'existed')
    ? (await kv.deleteMany(distinct)).map((one) => one.existed)
    : await lookedAndDeleted(kv, distinct)
  const there = new Set(distinct.filter((_, index) => existed[index]))
  return keys.map((key) => there.delete(key))
}

async function lookedAndDeleted<V>(kv: KeyValue<string, V>, keys: readonly string[]): Promise<boolean[]> {
  const existed = await Promise.all(keys.map((key) => kv.has(key)))
  await kv.deleteMany(keys)
  return existed
}
