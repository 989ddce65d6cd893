import { json, keyValue } from '@unikv/core'
import { tupleKey } from '@unikv/core/keys'
import { memory } from '@unikv/core/memory'
import { describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import { opened, sharedMemory } from './world.ts'

describe('a listing in a transaction', () => {
  it('has the changes of the transaction, in order, within its bounds and its limit', async () => {
    const { red, db } = opened(sharedMemory())
    for (const key of ['a', 'b', 'c', 'd']) await red.set(key, 1)
    const found = await db.run(async (tx) => {
      await tx.red.delete('a')
      await tx.red.set('bb', 2)
      await tx.red.set('c', 3)
      await tx.red.set('e', 4)
      return [
        await tx.red.scan(),
        await tx.red.scan({ limit: 2 }),
        await tx.red.scan({ gt: 'b', lte: 'd' }),
        await tx.red.scan({ prefix: 'b', reverse: true }),
        await tx.red.scan({ reverse: true, limit: 2 }),
      ]
    })
    expect(found).toEqual([
      [
        ['b', 1],
        ['bb', 2],
        ['c', 3],
        ['d', 1],
        ['e', 4],
      ],
      [
        ['b', 1],
        ['bb', 2],
      ],
      [
        ['bb', 2],
        ['c', 3],
        ['d', 1],
      ],
      [
        ['bb', 2],
        ['b', 1],
      ],
      [
        ['e', 4],
        ['d', 1],
      ],
    ])
  })

  it('makes it run again when a record came, went or changed in what was listed', async () => {
    const changes = [
      (red: Red) => red.set('new', 1),
      (red: Red) => red.delete('a'),
      (red: Red) => red.set('b', 7),
    ]
    for (const change of changes) {
      const { red, blue, db } = opened(sharedMemory())
      await red.set('a', 1)
      await red.set('b', 2)
      let runs = 0
      await db.run(async (tx) => {
        const listed = await tx.red.scan()
        if (runs++ === 0) await change(red)
        await tx.blue.set(
          'sum',
          listed.reduce((sum, [, value]) => sum + value, 0),
        )
      })
      let sum = 0
      for await (const [, { value }] of red.entries()) sum += value
      expect([runs, await blue.get('sum')]).toEqual([2, sum])
    }
  })

  it('lets pass what lies beyond its limit', async () => {
    const { red, db } = opened(sharedMemory())
    for (const key of ['a', 'b', 'c']) await red.set(key, 1)
    let runs = 0
    await db.run(async (tx) => {
      await tx.red.scan({ limit: 2 })
      if (runs++ === 0) await red.set('d', 1)
      await tx.blue.set('x', 1)
    })
    expect(runs).toBe(1)
  })

  it('has keys as their codec makes them, of its namespace alone', async () => {
    const log = keyValue(memory(), [json()])
    const all = keyValue(memory(), [json<number>(), transactional({ log })], {
      keys: tupleKey<readonly [string, number]>(),
    })
    const one = all.namespace('one')
    const db = transactions({ one, log })
    await all.set(['a', 1], 1)
    await one.set(['a', 2], 2)
    await all.namespace('two').set(['a', 3], 3)
    const found = await db.run(async (tx) => {
      await tx.one.set(['b', 1], 4)
      return tx.one.scan({ prefix: ['a'] })
    })
    expect(found).toEqual([[['a', 2], 2]])
  })

  it('refuses options that there are not', async () => {
    const { db } = opened(sharedMemory())
    for (const options of [{ limit: 0 }, { limit: 1.5 }, { first: 1 }, { gt: 'a', gte: 'a' }])
      await expect(db.run((tx) => tx.red.scan(options as never))).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
  })
})

type Red = ReturnType<typeof opened>['red']
