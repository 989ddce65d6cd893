import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes, Capabilities, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe } from 'vitest'

/** An opened store of bytes. */
export type AnyBytes = Store<Bytes, Capabilities>

type Body = (store: AnyBytes) => void

/**
 * Declares tests of a door over a store in the process and a server, each with a dataset of `name`; in the whole run over another server
 * and a store on the disk, too. A door knows nothing of the store: that all promise the same is what `@unikv/conformance` proves.
 */
export function onFourStores(name: string, body: Body): void {
  describe('on memory', () => body(memory()))
  if (isWhole) {
    onDisk('lmdb', name, (path) => lmdb({ path, durability: 'buffered' }), body)
    describeWith('redis', (url) => closed(redis({ url, dataset: `${name}_${process.pid}` }), body))
  }
  describeWith('postgres', (url) => closed(postgresOf(url, name), body))
}

/** The same over stores that list in both directions: one on the disk, and four in the whole run. */
export function onOrderedStores(name: string, body: Body): void {
  onDisk('lmdb', name, (path) => lmdb({ path, durability: 'buffered' }), body)
  if (!isWhole) return
  describe('on memory', () => body(memory()))
  onDisk('sqlite', name, (path) => sqlite({ path: join(path, 'data.db') }), body)
  describeWith('postgres', (url) => closed(postgresOf(url, name), body))
}

function postgresOf(url: string, name: string): AnyBytes {
  return postgres({ url, table: `${name}_${process.pid}`, prepare: true })
}

function onDisk(title: string, name: string, open: (path: string) => AnyBytes, body: Body): void {
  describe(`on ${title}`, () => {
    const path = mkdtempSync(join(tmpdir(), `unikv-${name}-`))
    afterAll(() => rm(path, { recursive: true, force: true }))
    closed(open(path), body)
  })
}

/** Closed when the tests are done, which comes before what was asked for earlier. */
function closed(store: AnyBytes, body: Body): void {
  afterAll(() => store.close?.())
  body(store)
}
