import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { conformance, testClock, topicsOfServers } from '@unikv/conformance'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { type FileNative, type FileOptions, file } from '../src/index.ts'

const clock = testClock()

function native(store: { readonly native: unknown }): FileNative {
  return store.native as FileNative
}

/** A file system that behaves otherwise: with names that move when they are replaced, and without a disk that may be slow to flush. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** On other versions of Node.js, and in a quick run: one form, and what it asks of Node.js. */
const topicsOfRuntimes = /read and write|binary|^batches$|scan|lifecycle/
const isCut = process.env['UNIKV_EMBEDDED_ONLY'] === '1'

/** Names and what is in a file are the same in each form. */
const topicsOfFlushing = /^batches$|condition|race|error|lifecycle/
const topicsOfSync =
  /declared|read and write|^batches$|scan and|take|condition|expiry$|touch|increment|mutation|whose|error|lifecycle/

const forms: readonly [string, string, Omit<FileOptions, 'directory'>, RegExp | undefined][] = [
  ['buffered', tmpdir(), { durability: 'buffered' }, isWhole ? undefined : topicsOfServers],
  ['flushed', memory, { durability: 'flushed' }, topicsOfFlushing],
  ['sync', memory, { sync: true, durability: 'buffered' }, topicsOfSync],
]

describe.each(isCut ? forms.slice(0, 1) : forms)('%s', async (_title, above, settings, topics) => {
  await conformance({
    test,
    topics: isCut ? topicsOfRuntimes : topics,
    describe,
    keyStep: isWhole ? 1 : 3,
    clock,
    open: async () => file({ ...settings, clock, directory: await mkdtemp(join(above, 'unikv-file-')) }),
    reopen: (store) => file({ ...settings, clock, directory: dirname(native(store).folder) }),
    corrupt: (store, key) => truncate(native(store).pathOf(key), 7),
    discard: (store) => rm(dirname(native(store).folder), { recursive: true, force: true }),
  })
})
