import { cache } from '@unikv/cache'
import { type Bytes, json, keyValue, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { fallback } from '@unikv/mirror'
import { resilience } from '@unikv/resilience'
import { describe, expect, test } from 'vitest'

/** A store that is away whenever it is told so. */
function primaryOf(outage: { isOn: boolean; silence?: Promise<void> }): Store<Bytes> {
  const inner = memory()
  const reached = <T>(answer: () => T): T => {
    if (outage.isOn) throw new StoreError('UNAVAILABLE', 'away')
    return answer()
  }
  return {
    ...inner,
    native: inner.native,
    capabilities: { ...inner.capabilities, sync: 'none' },
    read: async (reads, call) => {
      await outage.silence
      return reached(() => inner.read(reads, call))
    },
    write: async (mutations, call) => reached(() => inner.write(mutations, call)),
  }
}

interface Kv {
  get(key: string, options?: { readonly consistency: 'strong' }): Promise<unknown>
  getEntry(key: string, options?: { readonly timeoutMs: number }): Promise<object | undefined>
  set(key: string, value: string): Promise<unknown>
  close(): Promise<void>
}

const kept = { absentForMs: 60_000, freshForMs: 60_000 }

/** Layers of caches, and those between them and the fallback. */
const stacks: Readonly<Record<string, readonly [caches: () => unknown[], between: () => unknown[]]>> = {
  'a cache': [() => [cache(kept)], () => []],
  'a cache in a store': [() => [cache({ store: memory(), ...kept })], () => []],
  'two tiers': [() => [cache(kept), cache({ store: memory(), ...kept })], () => []],
  'a cache over delta and hedging': [
    () => [cache(kept)],
    () => [delta(), resilience({ retry: false, hedge: { afterMs: 60_000 } })],
  ],
}

describe.each(Object.entries(stacks))('a fallback below %s', (_, [caches, between]) => {
  const open = (store: Store<Bytes>, layers: readonly unknown[]) =>
    keyValue(store, [json(), ...layers] as never) as unknown as Kv

  test('answers in an outage, and nothing of that is kept', async () => {
    const outage = { isOn: false }
    const [primary, secondary] = [primaryOf(outage), memory()]
    await open(secondary, between()).set('a', 'old')
    for (const key of ['a', 'b']) await open(primary, between()).set(key, 'new')
    const either = fallback(primary, secondary, { absent: 'answer' })
    const kv = open(either, [...caches(), ...between()])
    outage.isOn = true
    expect(await kv.getEntry('a')).toMatchObject({ value: 'old', meta: { stale: true } })
    expect(await kv.get('b')).toBe(undefined)
    await expect(kv.get('a', { consistency: 'strong' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    outage.isOn = false
    expect([await kv.get('a'), await kv.get('b')]).toEqual(['new', 'new'])
    await kv.close()
  })

  test('answers for a silent primary while the caller still waits', async () => {
    let speak: () => void = () => {}
    const silence = new Promise<void>((resolve) => {
      speak = resolve
    })
    const [primary, secondary] = [primaryOf({ isOn: false, silence }), memory()]
    await open(secondary, between()).set('a', 'old')
    const kv = open(fallback(primary, secondary), [...caches(), ...between()])
    const found = await kv.getEntry('a', { timeoutMs: 2_000 })
    expect(found).toMatchObject({ value: 'old', meta: { stale: true } })
    speak()
    await kv.close()
  })
})
