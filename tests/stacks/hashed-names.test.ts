import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, testClock } from '@unikv/conformance'
import { type Bytes, compose, type Layer, type Store } from '@unikv/core'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { describe, test } from 'vitest'

const allStores = process.env.UNIKV_ALL_STORES !== undefined
const clock = testClock()
const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 3) } })
const names = nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 11 + 1))
/** Names that move when they are replaced, and no disk. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function over(title: string, below: (path: string) => Store<Bytes>): void {
  const paths = new WeakMap<object, string>()
  const open = (path: string) => {
    const layer: Layer<Bytes, Bytes> = encryption({ dataset: 'users', keys, names })
    const stack = compose(below(path), [layer])
    paths.set(stack, path)
    return stack
  }
  describe(title, async () => {
    await conformance({
      test,
      describe,
      clock,
      // The rest is the same on memory.
      topics: allStores ? undefined : /^(read and write|scan|order)/,
      open: async () => open(await mkdtemp(join(place, 'unikv-names-'))),
      reopen: (stack) => open(paths.get(stack) as string),
      discard: (stack) => rm(paths.get(stack) as string, { recursive: true, force: true }),
    })
  })
}

over('hashed names on LMDB', (path) => lmdb({ path, clock, durability: 'buffered' }))
// As slow as files are: with the long proofs.
if (allStores)
  over('hashed names on files', (directory) => file({ directory, clock, durability: 'buffered' }))
