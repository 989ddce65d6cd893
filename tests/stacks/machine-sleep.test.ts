import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { agingFrom } from '@unikv/core/platform'
import { encryption, keyring, nameKey, rekey } from '@unikv/encryption'
import { describe, expect, test, vi } from 'vitest'

// A machine that sleeps stops the monotonic clock of its processes; only the wall clock tells of that.
const machine = vi.hoisted(() => {
  const awake = Date.now
  let sleptMs = 0
  Date.now = () => awake() + sleptMs
  return {
    /** The event loop goes on afterwards. */
    async sleep(ms: number): Promise<void> {
      sleptMs += ms
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
})
const hourMs = 3_600_000

describe('a machine that slept for an hour', () => {
  test('answers nothing from a cache that was to be fresh for a minute', async () => {
    const store = memory()
    const other = keyValue(store, [json()])
    const cached = keyValue(store, [cache({ freshForMs: 60_000 }), json()])
    await other.set('price', 1)
    expect(await cached.get('price')).toBe(1)
    await other.set('price', 2)
    expect(await cached.get('price')).toBe(1)
    await machine.sleep(hourMs)
    expect(await cached.get('price')).toBe(2)
  })

  test('writes nothing under names that were given up meanwhile', async () => {
    const store = memory()
    const [from, to] = [nameKey(randomBytes(32)), nameKey(randomBytes(32))]
    const keys = keyring({ primary: 'a', keys: { a: randomBytes(32) } })
    const users = keyValue(store, [encryption({ dataset: 'users', keys, names: from })])
    await users.set('ada', new Uint8Array(1))
    await rekey(store, { dataset: 'users', keys, from, to, settleMs: 0, finish: true })
    await machine.sleep(hourMs)
    await expect(users.set('bob', new Uint8Array(1))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

test('a clock for what ages is never set back, and follows small corrections of the wall clock by nothing', () => {
  let [monotonic, wall] = [0, 1e12]
  const clock = agingFrom(
    () => monotonic,
    () => wall,
  )
  wall += 900
  expect(clock()).toBe(0)
  wall -= hourMs
  monotonic += 5
  expect(clock()).toBe(5)
  wall += hourMs
  expect(clock()).toBe(5 + hourMs)
})
