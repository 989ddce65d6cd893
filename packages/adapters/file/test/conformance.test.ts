import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { conformance, testClock } from '@unikv/conformance'
import { describe, test } from 'vitest'
import { type FileNative, type FileOptions, file } from '../src/index.ts'

const clock = testClock()

function native(store: { readonly native: unknown }): FileNative {
  return store.native as FileNative
}

/** A file system that behaves otherwise: with names that move when they are replaced, and without a disk that may be slow to flush. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** On other versions of Node.js, and in a quick run. */
const topicsOfRuntimes = /read and write|binary|batch|scan|lifecycle/
const isCut = process.env['UNIKV_EMBEDDED_ONLY'] === '1'

async function suite(
  above: string,
  settings: Omit<FileOptions, 'directory'>,
  topics?: RegExp,
): Promise<void> {
  await conformance({
    test,
    topics: isCut ? topicsOfRuntimes : topics,
    describe,
    clock,
    open: async () => file({ ...settings, clock, directory: await mkdtemp(join(above, 'unikv-file-')) }),
    reopen: (store) => file({ ...settings, clock, directory: dirname(native(store).folder) }),
    corrupt: (store, key) => truncate(native(store).pathOf(key), 7),
    discard: (store) => rm(dirname(native(store).folder), { recursive: true, force: true }),
  })
}

describe('buffered', async () => {
  await suite(tmpdir(), { durability: 'buffered' })
})

/** Names and what is in a file are the same in each form. */
const topicsOfFlushing = /read and write|batch|condition|race|steps|expiry|error|lifecycle/
const topicsOfSync =
  /declared|read and write|binary|batch|steps|scan|take|condition|race|expiry|touch|increment|mutation|whose|cancellation|error|lifecycle/

describe('flushed', async () => {
  await suite(memory, { durability: 'flushed' }, topicsOfFlushing)
})

describe('sync', async () => {
  await suite(memory, { sync: true, durability: 'buffered' }, topicsOfSync)
})
