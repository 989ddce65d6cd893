import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, testClock } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { afterAll, describe, test } from 'vitest'
import { type LmdbOptions, lmdb } from '../src/index.ts'

for (const sync of [false, true]) {
  describe(sync ? 'sync' : 'async', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unikv-lmdb-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const paths = new WeakMap<Store<Bytes>, string>()
    let opened = 0
    const clock = testClock()
    const open = (path = join(folder, `${opened++}`)): Store<Bytes> => {
      const options: LmdbOptions = { path, sync, durability: 'buffered', clock }
      const store = lmdb(options)
      paths.set(store, path)
      return store
    }
    await conformance({
      test,
      open: () => open(),
      reopen: (store) => open(paths.get(store)),
      clock,
    })
  })
}
