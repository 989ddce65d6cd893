import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError } from '@unikv/core'
import { expect, test } from 'vitest'
import { mutate } from '../calls.ts'
import type { OwnServer } from '../own-server.ts'
import type { SqlKeyValue, SqlStore } from './bench.ts'

const value = Buffer.from('value')

/** Declares the test of a server that is killed under load. `open` makes a table of its own on that server. */
export function testKilledServer(
  ownServer: () => OwnServer,
  open: () => Promise<{ readonly kv: SqlKeyValue; readonly store: SqlStore }>,
): void {
  test('a server that was killed is UNAVAILABLE, and after its start the store goes on with what was acknowledged', async () => {
    const server = ownServer()
    const { kv, store } = await open()
    const acknowledged: string[] = []
    let stop = false
    const writer = async (n: number) => {
      for (let i = 0; !stop; i++) {
        const result = await mutate(store, { type: 'set', key: `${n}/${i}`, value }, 1_000)
        if (isStoreError(result)) await pause(20)
        else acknowledged.push(`${n}/${i}`)
      }
    }
    const writers = Array.from({ length: 8 }, (_, n) => writer(n))
    await pause(300)
    await server.kill()
    const error = await kv.set('key', value).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:') as string,
    })
    const before = acknowledged.length
    await server.restart()
    const startedAt = performance.now()
    while (isStoreError(await kv.set('key', value).catch((thrown: unknown) => thrown))) await pause(20)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await pause(100)
    stop = true
    await Promise.all(writers)
    expect(acknowledged.length).toBeGreaterThan(before)
    const found = await kv.getMany(acknowledged)
    expect(found.filter((one) => one === undefined)).toEqual([])
  })
}
