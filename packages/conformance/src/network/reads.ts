import assert from 'node:assert/strict'
import { isEntry, isStoreError, type StoreError } from '@unikv/core'
import { assertSame } from '../assertions.ts'
import { conditionalRead, type Need, scan } from '../topic.ts'
import { collect } from '../verbs.ts'
import type { DeedSetting } from './deeds.ts'

/** A reading operation over keys that hold value 1. It fails if the answer is wrong. */
export interface Reading {
  readonly title: string
  readonly needs?: readonly Need[]
  readonly run: (t: DeedSetting, keys: readonly string[]) => Promise<unknown>
}

/** Every operation that reads. */
export const readings: readonly Reading[] = [
  {
    title: 'get',
    run: async ({ kv, value, settings }, [key = '']) => assertSame(await kv.get(key, settings), value(1)),
  },
  {
    title: 'getMany',
    run: async ({ kv, value, settings }, keys) => {
      for (const found of await kv.getMany(keys, settings)) assertSame(found, value(1))
    },
  },
  {
    title: 'has',
    run: async ({ kv, settings }, [key = '']) => assert.equal(await kv.has(key, settings), true),
  },
  {
    title: 'revalidate',
    needs: [conditionalRead],
    run: async ({ kv, value, settings }, [key = '']) => {
      const found = await kv.revalidate(key, '0'.repeat(24), settings)
      assert.ok(isEntry(found), 'another version gets the entry')
      assertSame(found.value, value(1))
    },
  },
  {
    title: 'keys',
    needs: [scan],
    run: async ({ kv, settings }, [key = '']) =>
      assert.deepEqual(await collect(kv.keys({ prefix: key, ...settings })), [key]),
  },
]

const readCodes = ['TIMEOUT', 'UNAVAILABLE', 'OVERLOADED', 'ABORTED', 'CLOSED']

/** Read; what fails must say so in the words for a broken network. Resolves to whether it was answered. */
export async function reads(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    checkReadError(error)
    return false
  }
}

/** Fail if a read over a broken network may not end so. */
export function checkReadError(error: unknown): void {
  for (const { code, message } of failures(error))
    assert.ok(
      readCodes.includes(code),
      `a read over a broken network ends with ${readCodes.join(', ')}, not ${code}: ${message}`,
    )
}

function failures(error: unknown): readonly StoreError[] {
  if (!isStoreError(error)) throw error
  return error.code === 'PARTIAL' ? (error.results ?? []).filter(isStoreError) : [error]
}
