import { isStoreError } from '@unikv/core'
import { type Callers, keys, type Place } from './callers.ts'

/** Read one key. An answer that is marked stale of a store that lags was written once. */
export async function readOne(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  const { history, random, composition } = callers
  const name = callers.named(place, key)
  const isStrong = random.chance(0.1) && !composition.lags
  const reader = history.reader(place)
  const level = isStrong ? { consistency: 'strong' } : {}
  const found = await callers.call('getEntry', place, (settings) =>
    kv.getEntry(key, { ...settings, ...level }),
  )
  if (isStoreError(found)) return
  if (composition.lags && found?.meta?.stale === true) {
    if (!history.wasWritten(name, found.value.id)) callers.note(`${name}: stale and never written`)
    callers.receive(name, found.value)
  } else callers.check(name, found?.value, reader)
}

/** Read all keys. */
export async function readMany(callers: Callers, { place, kv }: Place): Promise<void> {
  const reader = callers.history.reader(place)
  const asked = callers.random.chance(0.3) ? [...keys, ...keys] : keys
  const found = await callers.call('getMany', place, (settings) => kv.getMany(asked, settings))
  if (isStoreError(found)) return
  const first = found.slice(0, keys.length)
  for (const [i, value] of first.entries())
    callers.check(callers.named(place, asked[i] as string), value, reader)
}

/** Ask whether a key is there. */
export async function ask(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  const { history } = callers
  const name = callers.named(place, key)
  const reader = history.reader(place)
  const found = await callers.call('has', place, (settings) => kv.has(key, settings))
  if (isStoreError(found)) return
  callers.note(found ? history.wrongPresence(name, reader) : history.wrong(name, undefined, reader))
}

/** List the keys, or the entries. No cache answers a listing. */
export async function list(callers: Callers, { place, kv }: Place): Promise<void> {
  const { history, random, composition } = callers
  const reader = history.reader(place)
  const hasValues = random.chance(0.5)
  const seen = new Set<string>()
  const listed = await callers.call(hasValues ? 'entries' : 'keys', place, async (settings) => {
    if (!hasValues) for await (const key of kv.keys(settings)) seen.add(key)
    else
      for await (const [key, { value }] of kv.entries(settings)) {
        seen.add(key)
        if (!composition.lags) callers.check(callers.named(place, key), value, reader)
      }
    return seen
  })
  if (isStoreError(listed) || composition.lags) return
  for (const key of keys) {
    const name = callers.named(place, key)
    const wrong = seen.has(key) ? history.wrongPresence(name, reader) : history.wrong(name, undefined, reader)
    if (wrong !== undefined) callers.note(`a listing: ${wrong}`)
  }
}
