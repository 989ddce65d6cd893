import { isStoreError, remove } from '@unikv/core'
import { type Callers, keys, type Place } from './callers.ts'
import { nobody, type Write } from './history.ts'
import type { Value } from './values.ts'

/** Set one key, for a while or for ever. */
export async function setOne(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  const { random, history } = callers
  const ttlMs = random.chance(0.2) ? 1 + random.below(100) : undefined
  const value = callers.value()
  const write = history.start(place, callers.named(place, key), value.id, ttlMs)
  const result = await callers.call('set', place, (settings) =>
    callers.owned([value], kv.set(key, value, { ...settings, ttlMs })),
  )
  callers.ended(write, result)
}

/** Set a key if it is absent, or still what was read. What it was compared with was the truth. */
export async function compareAndSet(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  const { random, history } = callers
  const name = callers.named(place, key)
  const found = random.chance(0.3)
    ? undefined
    : await callers.call('getEntry', place, (settings) => kv.getEntry(key, settings))
  if (isStoreError(found)) return
  const id = found?.value.id
  if (found !== undefined) callers.receive(name, found.value)
  const value = callers.value()
  const write = history.start(place, name, value.id)
  const reader = history.reader(nobody)
  const result = await callers.call('set if', place, (settings) =>
    callers.owned([value], kv.set(key, value, { ...settings, ifVersion: found?.version ?? null })),
  )
  if (!isStoreError(result)) {
    const wrong = history.wrong(name, id, reader)
    if (wrong !== undefined) callers.note(`set if it was ${id ?? 'absent'}: ${wrong}`)
  }
  callers.ended(write, result)
}

/** Delete one key. */
export async function deleteOne(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  const write = callers.history.start(place, callers.named(place, key), undefined)
  callers.ended(write, await callers.call('delete', place, (settings) => kv.delete(key, settings)))
}

/** Set or delete all keys at once. */
export async function writeMany(callers: Callers, { place, kv }: Place): Promise<void> {
  const values = callers.random.chance(0.7) ? keys.map(() => callers.value()) : undefined
  const start = (i: number): Write =>
    callers.history.start(place, callers.named(place, keys[i] as string), values?.[i]?.id)
  const writes = keys.map((_, i) => start(i))
  const results = await callers.call(values ? 'setMany' : 'deleteMany', place, (settings) =>
    values
      ? callers.owned(
          values,
          kv.setMany(
            values.map((value, i) => [keys[i] as string, value] as const),
            settings,
          ),
        )
      : kv.deleteMany(keys, settings),
  )
  const each = isStoreError(results) ? (results.results as unknown[] | undefined) : results
  for (const [i, write] of writes.entries()) callers.ended(write, each?.[i] ?? results)
}

/** Update a key: replace it, remove it, or look at it and leave it. What it saw was the truth. */
export async function update(callers: Callers, { place, kv }: Place, key: string): Promise<void> {
  if (kv.update === undefined) return
  const { random, history, composition } = callers
  const name = callers.named(place, key)
  const dice = random.next()
  const value = callers.value()
  const next = dice < 0.6 ? value : dice < 0.8 ? remove : undefined
  const write =
    next === undefined
      ? undefined
      : history.start(place, name, next === remove ? undefined : value.id, 'keep')
  const reader = history.reader(nobody)
  let seen: Value | undefined
  let id: number | undefined
  const result = await callers.call('update', place, (settings) =>
    (kv.update as NonNullable<typeof kv.update>)(
      key,
      (there) => {
        seen = there
        id = there?.id
        return next
      },
      settings,
    ),
  )
  if (!isStoreError(result) && !composition.lags) {
    const wrong = history.wrong(name, id, reader)
    if (wrong !== undefined) callers.note(`update of ${seen === undefined ? 'nothing' : id}: ${wrong}`)
  }
  if (write !== undefined) callers.ended(write, result)
}

/** Delete all there is. What ends early deleted some of it. */
export async function clear(callers: Callers, { place, kv }: Place): Promise<void> {
  const writes = keys.map((key) => callers.history.start(place, callers.named(place, key), undefined))
  const result = await callers.call('clear', place, (settings) => kv.clear({ ...settings, all: true }))
  for (const write of writes) if (!isStoreError(result)) callers.ended(write, result)
}

/** Write past all caches, and say so to each: from then on nobody is told anything older. */
export async function writeOutside(
  callers: Callers,
  bare: Place,
  tell: () => Promise<readonly number[]>,
  key: string,
): Promise<void> {
  const { history } = callers
  const value = callers.value()
  const write = history.start(bare.place, callers.named(bare.place, key), value.id)
  const result = await callers.call('set outside', bare.place, (settings) =>
    callers.owned([value], bare.kv.set(key, value, settings)),
  )
  callers.ended(write, result)
  if (isStoreError(result)) return
  for (const place of await tell()) history.tell(write, place)
}
