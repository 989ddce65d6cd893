import { type AnyStore, json, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import { describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import { both, errorOf, leaseMs, opened, sharedMemory, through, withVerbs } from './world.ts'

describe('the deadline and the signal of a run', () => {
  it('end its calls, also those that are never answered', async () => {
    const one = through('red', { read: () => new Promise(() => {}) })
    expect(await errorOf(() => both(one, { timeoutMs: 50 }))).toMatchObject({ code: 'TIMEOUT' })
  })

  it('end a wait of its retry policy', async () => {
    const { red, db } = opened(sharedMemory())
    const work = db.run(
      async (tx) => {
        await tx.red.get('a')
        await red.set('a', Math.random())
        await tx.red.set('a', 1)
      },
      { timeoutMs: 50, retry: () => 600_000 },
    )
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it.each(['signal', 'deadline'])(
    'leave all or nothing at each step, and nothing that is blocked: %s',
    async (how) => {
      for (let at = 1; at <= 10; at++) {
        const shared = sharedMemory()
        const other = opened(shared)
        await both(other)
        const stop = new AbortController()
        let step = 0
        const ends = async (): Promise<void> => {
          if (++step !== at) return
          if (how === 'signal') stop.abort()
          else await pause(60)
        }
        const slow = (store: AnyStore): AnyStore =>
          withVerbs(store, { read: (go) => ends().then(go), write: (go) => ends().then(go) })
        const { red, blue, log } = shared
        const me = opened({ red: slow(red), blue: slow(blue), log: slow(log) })
        const timeoutMs = how === 'signal' ? 5000 : 50
        const told = await errorOf(() => both(me, { timeoutMs, signal: stop.signal }))
        const found = [await other.red.get('a'), await other.blue.get('a')]
        expect(found).toEqual(found[0] === -2 ? [-2, 2] : [-1, 1])
        if (told === undefined) expect(found[0]).toBe(-2)
        else if (told.code !== 'OUTCOME_UNKNOWN')
          expect([told.code, found[0]]).toEqual([expect.any(String), -1])
      }
    },
  )
})

describe('an answer that was lost', () => {
  const lost = (): never => {
    throw new StoreError('OUTCOME_UNKNOWN', 'The answer was lost.')
  }

  it.each(['red', 'log'] as const)('before the decision is never the end: %s', async (name) => {
    let writes = 0
    const one = through(name, { write: (go) => (++writes <= 2 ? lost() : go()) })
    expect(await errorOf(() => both(one))).toBeUndefined()
    expect([await one.red.get('a'), await one.blue.get('a')]).toEqual([-1, 1])
  })

  it('of a create, which arrives when the record is deleted again, brings nothing back', async () => {
    const shared = sharedMemory()
    const late: (() => unknown)[] = []
    const one = through('red', { write: (go) => (late.push(go) === 1 ? lost() : go()) }, shared)
    await both(one)
    await one.red.delete('a')
    await late[0]?.()
    expect(await opened(shared).red.get('a')).toBeUndefined()
  })

  it('of a commit that the log has forgotten is unknown', async () => {
    const shared = sharedMemory()
    let writes = 0
    const forgets = async (go: () => unknown, [mutation]: readonly { readonly key: string }[]) => {
      const answer = await go()
      if (++writes !== 2) return answer
      await opened(shared).log.delete((mutation as { key: string }).key)
      return lost()
    }
    const told = await errorOf(() => both(through('log', { write: forgets }, shared)))
    expect(told).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })
})

describe('one step in one store', () => {
  const lost = (): never => {
    throw new StoreError('OUTCOME_UNKNOWN', 'The answer was lost.')
  }

  /** A store whose own steps are these. */
  const stepping = (own: (go: () => unknown) => unknown) => {
    const store = memory()
    const together = store.together?.bind(store) as (...args: unknown[]) => unknown
    Object.assign(store, { together: async (...args: unknown[]) => own(() => together(...args)) })
    const log = keyValue(memory(), [json()])
    const red = keyValue(store, [json<number>(), transactional({ log, leaseMs })])
    return { red, db: transactions({ red, log }) }
  }

  it('that only makes records is not sent twice: it could arrive when they are removed again', async () => {
    const late: (() => unknown)[] = []
    const { red, db } = stepping((go) => (late.push(go) === 1 ? lost() : go()))
    const work = () =>
      db.run(async (tx) => {
        await tx.red.set('a', 1)
        await tx.red.set('b', 1)
      })
    expect(await errorOf(work)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await red.set('b', 1)
    expect(await errorOf(work)).toBeUndefined()
    await Promise.all(['a', 'b'].map((key) => red.delete(key)))
    expect(await red.getMany(['a', 'b'])).toEqual([undefined, undefined])
  })

  it('that changes records is sent again, and made once', async () => {
    const late: (() => unknown)[] = []
    const { red, db } = stepping((go) => (late.push(go) === 1 ? lost() : go()))
    await red.set('a', 1)
    await db.run(async (tx) => {
      for (const key of ['a', 'b']) await tx.red.update(key, (value) => (value ?? 0) + 1)
    })
    expect(await late[0]?.()).toBe(false)
    expect(await red.getMany(['a', 'b'])).toEqual([2, 1])
  })

  it('of one record is sent again where it changes it, and is unknown where it makes it', async () => {
    let writes = 0
    const one = through('red', { write: (go) => (writes++ === 0 ? lost() : go()) })
    const add = () => one.db.run((tx) => tx.red.update('a', (value) => (value ?? 0) + 1))
    expect(await errorOf(add)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await add()
    writes = 0
    await add()
    expect(await one.red.get('a')).toBe(2)
  })
})
