import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes, Capabilities, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe } from 'vitest'

/** An opened store of bytes. */
export type AnyBytes = Store<Bytes, Capabilities>

/**
 * Declares tests of a door over a store in the process, one on the disk, and two servers, each with a dataset of `name`.
 */
export function onFourStores(name: string, body: (store: AnyBytes) => void): void {
  describe('on memory', () => {
    body(memory())
  })
  describe('on lmdb', () => {
    const path = mkdtempSync(join(tmpdir(), `unikv-${name}-`))
    const store = lmdb({ path })
    afterAll(async () => {
      await store.close?.()
      await rm(path, { recursive: true, force: true })
    })
    body(store)
  })
  describeWith('redis', (url) => {
    const store = redis({ url, dataset: `${name}_${process.pid}` })
    afterAll(() => store.close?.())
    body(store)
  })
  describeWith('postgres', (url) => {
    const store = postgres({ url, table: `${name}_${process.pid}`, prepare: true })
    afterAll(() => store.close?.())
    body(store)
  })
}
