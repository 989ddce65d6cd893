import assert from 'node:assert/strict'
import { type GroupCall, type GroupTransaction, isStoreError } from '@unikv/core'
import { rejectsWith } from '../assertions.ts'
import { within } from '../within.ts'
import {
  attempt,
  change,
  committed,
  everything,
  type GroupFixture,
  type GroupTopic,
  put,
  textOf,
} from './group-fixture.ts'

/** More transactions than any store has connections. */
const abandoned = 40
const shortMs = 60

/** Deadlines, signals, and transactions that are never ended. */
export const endings: GroupTopic = {
  title: 'ends of group transactions',
  cases: [
    {
      title: 'a call whose time is over begins nothing',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const late = () => t.call(-1)
        const change1 = async (): Promise<unknown> => {
          const tx = await t.groups.begin('g', late())
          await tx.get(['a'])
          return tx.commit([change('a', '2')])
        }
        await rejectsWith('TIMEOUT', change1)
        await rejectsWith('TIMEOUT', () => t.groups.read([{ group: 'g', key: 'a' }], late()))
        await rejectsWith('TIMEOUT', () => t.groups.list('g', everything, late()))
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
      },
    },
    {
      title: 'a signal that was aborted begins nothing',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const call = () => t.call(undefined, AbortSignal.abort())
        await rejectsWith('ABORTED', async () => {
          const tx = await t.groups.begin('g', call())
          await tx.get(['a'])
          await tx.commit([change('a', '2')])
        })
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
      },
    },
    {
      title: 'reads and brief transactions go on while more others are open than there are connections',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const open = Array.from({ length: abandoned }, async (_, i) => {
          const tx = await t.groups.begin(`${i}`, t.call())
          await tx.get(['a'])
          const [outside] = await t.groups.read([{ group: 'g', key: 'a' }], t.call())
          const brief = await t.groups.begin('g', { ...t.call(), brief: true })
          const [inside] = await brief.get(['a'])
          await brief.commit([])
          await tx.rollback()
          return `${textOf(outside)}${textOf(inside)}`
        })
        assert.deepEqual(new Set(await Promise.all(open)), new Set(['11']))
      },
    },
    {
      title: 'calls that are over take no place of those that wait for a connection',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        let go: () => void = () => {}
        const gate = new Promise<void>((resolve) => {
          go = resolve
        })
        const read = async (call: GroupCall): Promise<void> => {
          const tx = await t.groups.begin('g', call)
          try {
            await tx.get(['a'])
            await gate
          } finally {
            await tx.rollback()
          }
        }
        const open = Array.from({ length: abandoned }, () => read(t.call()))
        const over = Array.from({ length: abandoned }, (_, i) =>
          rejectsWith(i % 2 === 0 ? 'TIMEOUT' : 'ABORTED', () =>
            read(i % 2 === 0 ? t.call(-1) : t.call(undefined, AbortSignal.abort())),
          ),
        )
        await Promise.all(over)
        go()
        await Promise.all(open)
        assert.equal(await attempt(t.groups, 'g', t.call(), async () => [change('a', '2')]), true)
      },
    },
    {
      title: 'transactions that are left alone hold nothing after their deadline',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const left = Array.from({ length: abandoned }, async () => {
          const tx = await t.groups.begin('g', t.call(shortMs))
          await tx.get(['a'])
        })
        await Promise.allSettled(left)
        await put(t, 'g', { a: '2' })
        assert.deepEqual(await committed({ ...t, groups: t.others }, 'g'), { a: '2' })
      },
    },
    {
      title: 'no transaction waits beyond its deadline for one that goes on',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const slow = await t.groups.begin('g', t.call())
        await slow.get(['a'])
        const others = Array.from({ length: 4 }, (_, i) => settled(t, `${i}`))
        await within(t.patienceMs / 2, 'Transactions with a short deadline', Promise.all(others))
        await slow.rollback()
        await put(t, 'g', { a: '3' })
        assert.deepEqual(await committed(t, 'g'), { a: '3' })
      },
    },
    {
      title: 'a rollback after the deadline or the signal never fails',
      run: async (t) => {
        const stop = new AbortController()
        const tx = await t.groups.begin('g', t.call(undefined, stop.signal))
        await tx.get(['a'])
        stop.abort()
        await tx.rollback()
        await (await outlived(t)).rollback()
        await put(t, 'g', { a: '1' })
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
      },
    },
  ],
}

/** A transaction that has read, and whose deadline has passed since. A slow machine may need a later one. */
async function outlived(t: GroupFixture, ms: number = shortMs): Promise<GroupTransaction> {
  const tx = await inTime(async () => t.groups.begin('g', t.call(ms)))
  if (tx === undefined) return outlived(t, 2 * ms)
  await inTime(async () => tx.get(['a']))
  await new Promise((resolve) => setTimeout(resolve, 2 * ms))
  return tx
}

/** `undefined`: its deadline came first. */
async function inTime<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (isStoreError(error) && error.code === 'TIMEOUT') return undefined
    throw error
  }
}

/** However a transaction ends: in a commit, a conflict, or at its deadline. */
async function settled(t: GroupFixture, text: string): Promise<void> {
  const change1 = attempt(t.others, 'g', t.call(shortMs), async (tx) => {
    await tx.get(['a'])
    return [change('a', text)]
  })
  try {
    await change1
  } catch (error) {
    const { code } = isStoreError(error) ? error : { code: String(error) }
    assert.match(code, /^(TIMEOUT|OUTCOME_UNKNOWN|OVERLOADED)$/)
  }
}
