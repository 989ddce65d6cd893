import { randomBytes } from 'node:crypto'
import type { Store } from '@unikv/core'
import { keysOf } from '@unikv/test-kit'
import { afterEach } from 'vitest'
import { type HbaseOptions, type HbaseStore, hbase } from '../src/index.ts'

/** The table of all tests: making one takes a second. */
export const table = 'unikv_test'

/** A dataset that nobody else uses. */
export function freshDataset(): string {
  return `t${randomBytes(6).toString('hex')}`
}

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
})

/** A store over a dataset of its own, closed after the test. */
export function fresh<const O extends HbaseOptions>(options: O): HbaseStore<O> {
  const store = hbase({ table, dataset: freshDataset(), prepare: true, ...options })
  opened.push(store)
  return store as unknown as HbaseStore<O>
}

/** All keys that a scan lists. */
export const listed = (store: Store<Uint8Array>, pageSize = 100): Promise<string[]> =>
  keysOf(store, '', pageSize)

/** Text as bytes. */
export const bytes = (text: string): Buffer => Buffer.from(text)

/** Text in base64. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64')
